// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
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
 * Keeps the newest snapshot for Supermon's clients, who ask for it beside the standard categories, which are read when they
 * are asked for.
 *
 * <p>It listens from the first snapshot on; where somebody else has the port it tries again with each. What is older than
 * {@value Newest#INTERVALS} publications is left out of samples. For one thread, but for {@link #errors}.
 */
public final class SupermonSink implements Sink {
    private static final Logger LOGGER = LoggerFactory.getLogger(SupermonSink.class);
    private static final Path PROC = Path.of("/proc");

    private final SupermonSettings settings;
    private final Optional<Path> hole;
    private final AgentHealth health;
    private final Newest<MetricSnapshot> newest;
    private final ServerSlot<SelectorServer> slot = new ServerSlot<>();

    /**
     * One that does not listen yet.
     *
     * @param hole where programs of this node hand in values of their own; nowhere if empty
     * @param publishSeconds time between two snapshots
     * @param health hears of the server's thread
     */
    public SupermonSink(SupermonSettings settings, Optional<Path> hole, double publishSeconds, AgentHealth health) {
        this(settings, hole, publishSeconds, System::nanoTime, health);
    }

    SupermonSink(SupermonSettings settings, double publishSeconds, LongSupplier nanoClock) {
        this(settings, Optional.empty(), publishSeconds, nanoClock, AgentHealth.unheard());
    }

    private SupermonSink(
            SupermonSettings settings,
            Optional<Path> hole,
            double publishSeconds,
            LongSupplier nanoClock,
            AgentHealth health) {
        this.health = health;
        this.settings = settings;
        this.hole = hole;
        this.newest = new Newest<>(publishSeconds, nanoClock);
    }

    @Override
    public String name() {
        return "supermon";
    }

    @Override
    public String destinations() {
        return describe(settings.address());
    }

    /** Where clients find it, for a line of text. */
    public static String describe(InetSocketAddress address) {
        return "supermon at " + NumericAddress.text(address);
    }

    /** Connections that ended before their answers were taken. */
    @Override
    public long errors() {
        return slot.errors();
    }

    /**
     * Answers with this snapshot from now on.
     *
     * @throws IOException if nobody can listen at the address now, or this node's name cannot be read
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        newest.set(snapshot);
        slot.keepOpen(
                this::open,
                failure -> LOGGER.error("supermon: nobody was answered any more; it listens again", failure));
    }

    private SelectorServer open() throws IOException {
        Samples samples = samples();
        try {
            return SelectorServer.open(new MonProtocol(settings, samples), System::nanoTime, health);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen for " + describe(settings.address()) + ": " + e.getMessage()
                            + "; end who does, or give another address in [supermon]",
                    e);
        }
    }

    private Samples samples() throws IOException {
        return new Samples(
                settings.format(),
                SampledHost.machine(),
                new ProcCategories(PROC, InstantSource.system()),
                newest::fresh,
                hole,
                System::nanoTime);
    }

    @Override
    public void close() {
        newest.clear();
        slot.close();
    }

    /** Where it listens; empty while it does not. */
    Optional<InetSocketAddress> listening() {
        return slot.server().flatMap(SelectorServer::network);
    }
}
