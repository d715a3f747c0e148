// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import magnet.agent.AgentHealth;
import magnet.publish.server.SelectorServer;

/**
 * Answers Supermon's clients with the samples of several servers, which speak the same protocol: mons, or other concentrators.
 * Has one thread of its own. Thread-safe.
 */
public final class SupermonConcentrator implements AutoCloseable {
    private final SelectorServer server;

    private SupermonConcentrator(SelectorServer server) {
        this.server = server;
    }

    /**
     * Begins to answer.
     *
     * @param settings how clients are answered
     * @param children who is asked; at least one
     * @param deadline how long a sample waits for them
     * @param onFailure is told, on another thread, when nobody is answered any more; {@link #failure} says why
     * @throws IOException if nobody can listen at the address now
     */
    public static SupermonConcentrator open(
            SupermonSettings settings, List<InetSocketAddress> children, Duration deadline, Runnable onFailure)
            throws IOException {
        Concentrator source = new Concentrator(
                children,
                Concentrator.mostBytes(Runtime.getRuntime().maxMemory(), children.size()),
                settings.format(),
                SampledHost.machine(),
                deadline.toNanos(),
                System::nanoTime,
                new SplittableRandom());
        try {
            return new SupermonConcentrator(SelectorServer.open(
                    new MonProtocol(settings, source), System::nanoTime, AgentHealth.unheard(), onFailure));
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen for " + SupermonSink.describe(settings.address()) + ": " + e.getMessage()
                            + "; end who does, or give another address",
                    e);
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** What has ended it; empty as long as it answers. */
    public Optional<Throwable> failure() {
        return server.failure();
    }

    /** Closes all connections, and gives the port back. */
    @Override
    public void close() {
        server.close();
    }
}
