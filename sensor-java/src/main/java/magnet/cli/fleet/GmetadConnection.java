// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import magnet.cli.world.Complaint;
import magnet.cli.world.Failure;
import magnet.os.MonotonicClock;
import magnet.unit.TimeSpan;

/** A connection to gmetad's {@code xml_port}: it sends all that it has at once, unasked, and closes. For one thread. */
final class GmetadConnection implements AutoCloseable {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final GmetadAddress address;
    private final MonotonicClock clock;
    private final TimeSpan patience;
    private final long deadline;
    private final Socket socket = new Socket();

    private GmetadConnection(GmetadAddress address, MonotonicClock clock, TimeSpan patience) {
        this.address = address;
        this.clock = clock;
        this.patience = patience;
        this.deadline = clock.nanos() + patience.nanos();
    }

    /**
     * Connects.
     *
     * @param patience how long all of it may take, to the end of the answer
     */
    static GmetadConnection open(GmetadAddress address, MonotonicClock clock, TimeSpan patience) throws IOException {
        GmetadConnection connection = new GmetadConnection(address, clock, patience);
        try {
            connection.connect();
        } catch (IOException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    private void connect() throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByName(address.host()), address.port()), millisLeft());
        } catch (UnknownHostException e) {
            throw failure("no gmetad: the name " + address.host() + " cannot be resolved", e);
        } catch (SocketTimeoutException e) {
            throw tooLate(e);
        } catch (IOException e) {
            throw failure(
                    "no gmetad answers at " + address + ": " + Complaint.about(e)
                            + "; --gmetad HOST:PORT names another, its port is xml_port of gmetad.conf",
                    e);
        }
    }

    /** What it says. */
    InputStream answer() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                try {
                    socket.setSoTimeout(millisLeft());
                    return socket.getInputStream().read(bytes, offset, length);
                } catch (SocketTimeoutException e) {
                    throw tooLate(e);
                } catch (Failure e) {
                    throw e;
                } catch (IOException e) {
                    throw failure("gmetad at " + address + " broke off its answer: " + Complaint.about(e), e);
                }
            }
        };
    }

    /** At least 1, since 0 is forever. */
    private int millisLeft() throws Failure {
        long left = (deadline - clock.nanos()) / NANOS_PER_MILLI;
        if (left <= 0) {
            throw tooLate(new SocketTimeoutException());
        }
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    private Failure tooLate(IOException cause) {
        return failure(
                "gmetad at " + address + " has not told everything within " + patience
                        + "; give it longer by --timeout, and take its xml_port: the interactive_port waits for a question",
                cause);
    }

    private static Failure failure(String message, IOException cause) {
        Failure failure = new Failure(message);
        failure.initCause(cause);
        return failure;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
