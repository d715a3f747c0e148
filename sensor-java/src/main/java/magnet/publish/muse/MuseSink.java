// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.publish.Newest;
import magnet.publish.NumericAddress;
import magnet.publish.Sink;
import magnet.publish.server.SelectorServer;
import magnet.publish.server.ServerSlot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers MUSE's clients: with what their own handlers come to, and with the metrics that were published last.
 *
 * <p>It listens from the first snapshot on; where somebody else does it tries again with each. For one thread, but for
 * {@link #errors}.
 */
public final class MuseSink implements Sink {
    private static final Logger LOGGER = LoggerFactory.getLogger(MuseSink.class);

    private final MuseSettings settings;
    private final EventTap.Opener opener;
    private final TickClock clock;
    private final int cpus;
    private final AgentHealth health;
    private final Newest<MetricSnapshot> newest;
    private final ServerSlot<SelectorServer> slot = new ServerSlot<>();

    /**
     * One that does not listen yet.
     *
     * @param opener gets at the kernel's events
     * @param clock the records' timer
     * @param cpus CPUs of the machine
     * @param publishSeconds time between two snapshots
     * @param health hears of the server's thread
     */
    public MuseSink(
            MuseSettings settings,
            EventTap.Opener opener,
            TickClock clock,
            int cpus,
            double publishSeconds,
            AgentHealth health) {
        this(settings, opener, clock, cpus, publishSeconds, System::nanoTime, health);
    }

    MuseSink(
            MuseSettings settings,
            EventTap.Opener opener,
            TickClock clock,
            int cpus,
            double publishSeconds,
            LongSupplier nanoClock,
            AgentHealth health) {
        this.health = health;
        this.settings = settings;
        this.opener = opener;
        this.clock = clock;
        this.cpus = cpus;
        this.newest = new Newest<>(publishSeconds, nanoClock);
    }

    @Override
    public String name() {
        return "muse";
    }

    @Override
    public String destinations() {
        return describe(settings);
    }

    /** Where clients find it, for a line of text. */
    public static String describe(MuseSettings settings) {
        List<String> places = new ArrayList<>();
        settings.socket().ifPresent(path -> places.add("muse at " + path));
        settings.address().ifPresent(address -> places.add(describe(address)));
        return String.join(", ", places);
    }

    static String describe(InetSocketAddress address) {
        return "muse at " + NumericAddress.text(address);
    }

    /** Connections that ended before their replies were taken. */
    @Override
    public long errors() {
        return slot.errors();
    }

    /**
     * Tells of this snapshot from now on.
     *
     * @throws IOException if nobody can listen where it is said
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        newest.set(snapshot);
        slot.keepOpen(
                this::open, failure -> LOGGER.error("muse: nobody was answered any more; it listens again", failure));
    }

    private SelectorServer open() throws IOException {
        LiveHandlers live = new LiveHandlers(opener, clock, System::nanoTime);
        Session.Shared shared = new Session.Shared(live, live, cpus, settings.layout(), newest::fresh);
        try {
            return SelectorServer.open(new MuseProtocol(settings, live, shared), System::nanoTime, health);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen for clients of " + e.getMessage() + "; end who does, or mend [muse]", e);
        }
    }

    @Override
    public void close() {
        newest.clear();
        slot.close();
    }

    /** Where it listens on the network; empty while it does not. */
    Optional<InetSocketAddress> listening() {
        return slot.server().flatMap(SelectorServer::network);
    }
}
