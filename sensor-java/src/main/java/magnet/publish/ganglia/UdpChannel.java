// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import magnet.agent.Tasks;
import magnet.publish.Outage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket for one send channel.
 *
 * <p>It is opened on a thread of its own, because a name server that does not answer takes its time. The first attempt
 * is waited for a little, so that nothing is lost where names resolve as they should; later ones hardly. While the
 * socket cannot be opened, because the name has no address yet or the device is not up, it is tried again every few
 * seconds.
 *
 * <p>That nobody listens the kernel tells with the next packet, which it then does not send: it is sent once more. Each
 * distinct error of an outage is logged once, and that it is over; all errors are counted. For one thread.
 */
final class UdpChannel implements PacketChannel {
    /** What the first attempt may hold up the other channels. */
    static final long FIRST_WAIT_MILLIS = 1_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(UdpChannel.class);
    private static final long LATER_WAIT_MILLIS = 20;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long REOPEN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final String name;
    private final boolean named;
    private final Callable<DatagramChannel> opener;
    private final LongSupplier nanoClock;
    private final Outage outage;
    private @Nullable DatagramChannel socket;
    private @Nullable FutureTask<DatagramChannel> opening;
    private long waitMillis = FIRST_WAIT_MILLIS;
    private long openedAtNanos;
    private long retryAtNanos;
    private boolean unreachable;
    private long errors;

    /**
     * @param channel where to and how
     * @param localHostname the machine's name, for bind_hostname
     * @param nanoClock clock for the retries
     */
    UdpChannel(SendChannel channel, String localHostname, LongSupplier nanoClock) {
        this(channel.toString(), channel.hasNames(), () -> ChannelSocket.open(channel, localHostname), nanoClock);
    }

    /** @param named whether opening it takes a name server */
    UdpChannel(String name, boolean named, Callable<DatagramChannel> opener, LongSupplier nanoClock) {
        this.name = name;
        this.named = named;
        this.opener = opener;
        this.nanoClock = nanoClock;
        this.outage = new Outage(LOGGER, name, nanoClock);
        this.retryAtNanos = nanoClock.getAsLong();
    }

    @Override
    public void begin() {
        long now = nanoClock.getAsLong();
        boolean missing = socket == null && now - retryAtNanos >= 0;
        // The name may have got another address meanwhile.
        boolean moved = unreachable && now - openedAtNanos > REOPEN_NANOS;
        if (opening == null && (missing || moved)) {
            FutureTask<DatagramChannel> task = new FutureTask<>(opener);
            opening = task;
            Tasks.start("magnet-open", task);
        }
    }

    @Override
    public boolean prepare() {
        adopt();
        if (socket == null) {
            errors++;
            return false;
        }
        if (!unreachable) {
            outage.worked();
        }
        unreachable = false;
        return true;
    }

    @Override
    public void send(ByteBuffer packet) {
        try {
            write(packet);
        } catch (PortUnreachableException e) {
            fail("nobody listens (port unreachable)");
            unreachable = true;
            sendAgain(packet);
        } catch (ClosedByInterruptException e) {
            // Whoever interrupts wants it to end: nothing is wrong with the channel.
            errors++;
            closeSocket();
        } catch (IOException e) {
            fail(reason(e));
            closeSocket();
        }
    }

    @Override
    public long errors() {
        return errors;
    }

    @Override
    public void close() {
        FutureTask<DatagramChannel> task = opening;
        if (task != null) {
            // What it still opens is closed by the garbage collector's cleaner.
            task.cancel(true);
            opening = null;
        }
        closeSocket();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Takes over the socket that has been opened, if it has. */
    private void adopt() {
        FutureTask<DatagramChannel> task = opening;
        if (task == null) {
            return;
        }
        long wait = socket == null ? waitMillis : 0;
        waitMillis = LATER_WAIT_MILLIS;
        try {
            DatagramChannel opened = task.get(wait, TimeUnit.MILLISECONDS);
            closeSocket();
            socket = opened;
            openedAtNanos = nanoClock.getAsLong();
            opening = null;
        } catch (ExecutionException e) {
            opening = null;
            retryAtNanos = nanoClock.getAsLong() + RETRY_NANOS;
            openedAtNanos = nanoClock.getAsLong();
            say("cannot be opened: " + reason(e.getCause()));
        } catch (TimeoutException e) {
            if (socket == null && named) {
                say("cannot be opened yet: the name server has not answered");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendAgain(ByteBuffer packet) {
        try {
            write(packet);
        } catch (PortUnreachableException e) {
            errors++;
        } catch (IOException e) {
            fail(reason(e));
            closeSocket();
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
        say(what);
    }

    private void say(String what) {
        outage.failed(what);
    }

    private void closeSocket() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                LOGGER.debug("{}: close failed", name, e);
            }
            socket = null;
        }
    }

    private static String reason(@Nullable Throwable e) {
        if (e instanceof UnknownHostException) {
            return "the name has no address";
        }
        return e == null || e.getMessage() == null ? String.valueOf(e) : e.getMessage();
    }
}
