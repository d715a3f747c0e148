// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import magnet.publish.DistinctErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket for one send channel, connected as gmetric's is, so that the kernel tells when nobody listens.
 *
 * <p>That news comes with the next packet, which the kernel then does not send: it is sent once more. While the socket
 * cannot be opened, because the name has no address yet or the device is not up, {@link #prepare} tries again at most
 * every few seconds. Each distinct error is logged once; all are counted. For one thread.
 */
final class UdpChannel implements PacketSink {
    private static final Logger LOGGER = LoggerFactory.getLogger(UdpChannel.class);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long REOPEN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final SendChannel channel;
    private final String localHostname;
    private final LongSupplier nanoClock;
    private final DistinctErrors distinct = new DistinctErrors(LOGGER);
    private @Nullable DatagramChannel socket;
    private @Nullable String lastError;
    private long retryAtNanos;
    private long openedAtNanos;
    private boolean unreachable;
    private long errors;

    /**
     * @param channel where to and how
     * @param localHostname the machine's name, for bind_hostname
     * @param nanoClock clock for the retries
     */
    UdpChannel(SendChannel channel, String localHostname, LongSupplier nanoClock) {
        this.channel = channel;
        this.localHostname = localHostname;
        this.nanoClock = nanoClock;
        this.retryAtNanos = nanoClock.getAsLong();
    }

    @Override
    public boolean prepare() {
        if (unreachable && nanoClock.getAsLong() - openedAtNanos > REOPEN_NANOS) {
            // The name may have got another address meanwhile.
            close();
        }
        unreachable = false;
        if (socket != null) {
            return true;
        }
        if (nanoClock.getAsLong() - retryAtNanos < 0) {
            errors++;
            return false;
        }
        try {
            socket = open();
            openedAtNanos = nanoClock.getAsLong();
            if (lastError != null) {
                LOGGER.info("{}: can send again", channel);
                distinct.clear(lastError);
                lastError = null;
            }
            return true;
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            fail("cannot be opened: " + reason(e));
            retryAtNanos = nanoClock.getAsLong() + RETRY_NANOS;
            return false;
        }
    }

    @Override
    public void send(ByteBuffer packet) {
        try {
            write(packet);
        } catch (PortUnreachableException e) {
            fail("nobody listens (port unreachable)");
            unreachable = true;
            sendAgain(packet);
        } catch (IOException e) {
            fail(reason(e));
            close();
        }
    }

    @Override
    public long errors() {
        return errors;
    }

    @Override
    public void close() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                LOGGER.debug("{}: close failed", channel, e);
            }
            socket = null;
        }
    }

    @Override
    public String toString() {
        return channel.toString();
    }

    private void sendAgain(ByteBuffer packet) {
        try {
            write(packet);
        } catch (PortUnreachableException e) {
            errors++;
        } catch (IOException e) {
            fail(reason(e));
            close();
        }
    }

    private void write(ByteBuffer packet) throws IOException {
        DatagramChannel open = socket;
        if (open == null) {
            errors++;
            return;
        }
        open.write(packet.duplicate());
    }

    private void fail(String what) {
        errors++;
        lastError = channel + ": " + what;
        distinct.record(lastError);
    }

    private DatagramChannel open() throws IOException {
        InetAddress address = InetAddress.getByName(channel.host());
        DatagramChannel open = DatagramChannel.open(
                address instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        try {
            if (channel.multicast()) {
                open.setOption(StandardSocketOptions.IP_MULTICAST_TTL, channel.ttl());
                if (channel.multicastInterface().isPresent()) {
                    open.setOption(
                            StandardSocketOptions.IP_MULTICAST_IF,
                            device(channel.multicastInterface().get()));
                }
            }
            if (channel.bind().isPresent()) {
                open.bind(new InetSocketAddress(
                        InetAddress.getByName(channel.bind().get()), 0));
            } else if (channel.bindHostname()) {
                open.bind(new InetSocketAddress(InetAddress.getByName(localHostname), 0));
            }
            return open.connect(new InetSocketAddress(address, channel.port()));
        } catch (IOException | RuntimeException e) {
            open.close();
            throw e;
        }
    }

    private static NetworkInterface device(String name) throws IOException {
        NetworkInterface device = NetworkInterface.getByName(name);
        if (device == null) {
            throw new IOException("no network device " + name);
        }
        return device;
    }

    private static String reason(Exception e) {
        if (e instanceof UnknownHostException) {
            return "the name has no address";
        }
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
