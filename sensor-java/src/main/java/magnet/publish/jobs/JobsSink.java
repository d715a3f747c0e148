// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.os.FileReason;
import magnet.publish.Newest;
import magnet.publish.Sink;
import magnet.publish.server.SelectorServer;
import magnet.publish.server.ServerSlot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the newest snapshot for those who ask for the figures of jobs at a socket: users for their own, root and the
 * service's group for all.
 *
 * <p>It listens from the first snapshot on; where somebody else has the socket it tries again with each. What is older than
 * {@value Newest#INTERVALS} publications is not told any more. For one thread, but for {@link #errors}.
 */
public final class JobsSink implements Sink {
    private static final Logger LOGGER = LoggerFactory.getLogger(JobsSink.class);

    private final Path socket;
    private final OwnJobs own;
    private final AgentHealth health;
    private final Newest<MetricSnapshot> newest;
    private final ServerSlot<SelectorServer> slot = new ServerSlot<>();

    /**
     * One that does not listen yet.
     *
     * @param socket where users ask; the one for all jobs stands beside it
     * @param own says which jobs are whose
     * @param publishSeconds time between two snapshots
     * @param health hears of the server's thread
     */
    public JobsSink(Path socket, OwnJobs own, double publishSeconds, AgentHealth health) {
        this(socket, own, publishSeconds, System::nanoTime, health);
    }

    JobsSink(Path socket, OwnJobs own, double publishSeconds, LongSupplier nanoClock, AgentHealth health) {
        this.socket = socket;
        this.own = own;
        this.health = health;
        this.newest = new Newest<>(publishSeconds, nanoClock);
    }

    @Override
    public String name() {
        return "jobs";
    }

    @Override
    public String destinations() {
        return socket.toString();
    }

    /** Connections that ended before their answers were taken. */
    @Override
    public long errors() {
        return slot.errors();
    }

    /**
     * Answers with this snapshot from now on.
     *
     * @throws IOException if nobody can listen there now
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        newest.set(snapshot);
        slot.keepOpen(
                this::open, failure -> LOGGER.error("jobs: nobody was answered any more; it listens again", failure));
    }

    private SelectorServer open() throws IOException {
        try {
            return SelectorServer.open(new JobsProtocol(socket, newest::fresh, own), System::nanoTime, health);
        } catch (IOException e) {
            throw new IOException(
                    "cannot tell figures of jobs at " + socket + ": " + FileReason.of(e)
                            + "; end who listens there, or give another path as jobs-socket in [publish]",
                    e);
        }
    }

    @Override
    public void close() {
        newest.clear();
        slot.close();
    }
}
