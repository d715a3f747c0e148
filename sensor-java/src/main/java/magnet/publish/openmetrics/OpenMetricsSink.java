// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.metric.MetricSnapshot;
import magnet.os.EventFd;
import magnet.publish.Newest;
import magnet.publish.Sink;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the newest snapshot for those who fetch it, on an address of this machine that no other machine can reach.
 *
 * <p>It listens from the first snapshot on; where somebody else has the port it tries again with each. What is older than
 * {@value Newest#INTERVALS} publications is not shown any more: whoever asks is told so, instead of old numbers. While the
 * process can open no more files it does not listen: the JDK's server would try again and again, without a pause, to take a
 * connection. For one thread, but for {@link #errors}.
 */
public final class OpenMetricsSink implements Sink {
    /** Whether a file can be opened. */
    @FunctionalInterface
    interface Descriptors {
        /** Opens one and closes it. */
        void probe() throws IOException;
    }

    private final InetSocketAddress address;
    private final Newest<MetricsPage> newest;
    private final Descriptors descriptors;
    /** Of servers that do not listen any more. */
    private long errorsBefore;

    private volatile @Nullable PageServer server;

    /**
     * @param address where to listen
     * @param publishSeconds time between two snapshots
     * @throws IllegalArgumentException if other machines can reach this address
     */
    public OpenMetricsSink(InetSocketAddress address, double publishSeconds) {
        this(address, publishSeconds, System::nanoTime, () -> EventFd.create().close());
    }

    OpenMetricsSink(InetSocketAddress address, double publishSeconds, LongSupplier nanoClock, Descriptors descriptors) {
        InetAddress host = address.getAddress();
        if (host == null || !host.isLoopbackAddress()) {
            throw new IllegalArgumentException("no loopback address: " + address);
        }
        this.address = address;
        this.descriptors = descriptors;
        this.newest = new Newest<>(publishSeconds, nanoClock);
    }

    @Override
    public String name() {
        return "openmetrics";
    }

    @Override
    public String destinations() {
        return url(address);
    }

    /** What to give a scraper. */
    public static String url(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.indexOf(':') < 0 ? host : "[::1]") + ":" + address.getPort() + PageServer.PATH;
    }

    /** Answers that a client did not take. */
    @Override
    public synchronized long errors() {
        PageServer listening = server;
        return errorsBefore + (listening == null ? 0 : listening.brokenOff());
    }

    /**
     * Shows this snapshot from now on.
     *
     * @throws IOException if nobody can listen at the address now, or no connection could be taken
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        newest.set(new MetricsPage(snapshot));
        checkDescriptors();
        if (server == null) {
            try {
                server = PageServer.open(address, newest::fresh);
            } catch (IOException e) {
                throw new IOException(
                        "cannot listen at " + url(address) + ": " + e.getMessage()
                                + "; end who does, or give another port as openmetrics in [publish]",
                        e);
            }
        }
    }

    private void checkDescriptors() throws IOException {
        try {
            descriptors.probe();
        } catch (IOException e) {
            closeServer();
            throw new IOException(
                    "no connection can be taken at " + url(address) + ": " + e.getMessage() + "; raise LimitNOFILE of"
                            + " the service",
                    e);
        }
    }

    @Override
    public void close() {
        newest.clear();
        closeServer();
    }

    private void closeServer() {
        PageServer listening = server;
        if (listening != null) {
            listening.close();
            forget(listening);
        }
    }

    private synchronized void forget(PageServer closed) {
        errorsBefore += closed.brokenOff();
        server = null;
    }

    /** Where it listens; empty while it does not. */
    Optional<InetSocketAddress> listening() {
        return Optional.ofNullable(server).map(PageServer::address);
    }
}
