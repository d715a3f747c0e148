// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import magnet.agent.Backoff;
import magnet.publish.server.Connection;
import magnet.publish.server.Ports;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that a concentrator asks: a mon, or another concentrator. It owes one sample and one description at most, so that
 * what it has to send is bounded however slow it is. A connection that fails is made anew, at first after
 * {@value #FIRST_SECONDS} s, later after up to {@value #LAST_SECONDS} s; so is one that owes a sample for
 * {@value #STUCK_SECONDS} s. For one thread.
 */
final class Child implements Connection {
    static final int STUCK_SECONDS = 10;
    static final int FIRST_SECONDS = 1;
    static final int LAST_SECONDS = 30;

    /** Lists in lists: more than any answer that is known has, and fewer than a stack takes. */
    private static final int DEEPEST = 32;

    private static final Logger LOGGER = LoggerFactory.getLogger(Child.class);
    private static final int INPUT_BYTES = 16 * 1024;
    /** So many bytes an answer may have for each of its elements; a node's sample at level full has 14, at level summary 8. */
    private static final int BYTES_OF_ELEMENT = 16;

    /** After that it is the others' turn. */
    private static final int MOST_ROUNDS = 16;

    /** Who waits for answers. */
    interface Asker {
        /** A sample that was asked for has come. */
        void sampled(Child child, String sample);

        /** A description has come, whether or not one was asked for. */
        void described(Child child);

        /** The child has no connection any more. */
        void lost(Child child);
    }

    private final InetSocketAddress address;
    private final Asker asker;
    private final int mostBytes;
    private final Backoff backoff;
    private final ByteBuffer input = ByteBuffer.allocate(INPUT_BYTES);
    private @Nullable SocketChannel channel;
    private boolean connected;
    private long retryNanos;
    private long beganNanos;
    private boolean saidLost;

    private SexpReader reader;
    private ByteBuffer output = ByteBuffer.allocate(0);
    private long maskSent;
    private boolean owesSample;
    private boolean owesDescription;
    private boolean describes;
    private boolean describesLate;
    private long askedNanos;
    private String description = "";
    private Map<String, Long> categories = Map.of();
    private long connections;

    /**
     * One that is not connected.
     *
     * @param mostBytes length of an answer, at most
     * @param nowNanos when it may be connected first
     */
    Child(InetSocketAddress address, Asker asker, int mostBytes, Backoff backoff, long nowNanos) {
        this.address = address;
        this.asker = asker;
        this.mostBytes = mostBytes;
        this.backoff = backoff;
        this.retryNanos = nowNanos;
        this.reader = reader();
    }

    private SexpReader reader() {
        return new SexpReader(mostBytes, mostBytes / BYTES_OF_ELEMENT, DEEPEST);
    }

    /** Connects it if that is due, and gives up what takes too long. */
    void look(Ports ports, long nowNanos) {
        if (channel == null && nowNanos - retryNanos >= 0) {
            connect(ports, nowNanos);
        } else if (isStuck(nowNanos)) {
            giveUp(ports, new IOException("no answer for " + STUCK_SECONDS + " s"));
        }
    }

    /** Lets it be connected soon, where it is not. */
    void hurry(long nowNanos) {
        long soon = beganNanos + TimeUnit.SECONDS.toNanos(FIRST_SECONDS);
        if (channel == null && retryNanos - soon > 0) {
            retryNanos = soon - nowNanos > 0 ? soon : nowNanos;
        }
    }

    /** Whether it has a connection. */
    boolean isUp() {
        return connected;
    }

    /** Whether it can be asked for a sample now: it is there, and owes none. */
    boolean maySample() {
        return connected && !owesSample;
    }

    /** Whether it can be asked to describe itself now. */
    boolean mayDescribe() {
        return connected && describes && !owesSample && !describesLate;
    }

    /** Connections that were made after the first one. */
    long reconnects() {
        return Math.max(0, connections - 1);
    }

    /** What it said last of itself; empty if it has not. */
    String description() {
        return description;
    }

    /** Asks for a sample of these categories, by the bits of here. */
    void askSample(long mask, CategoryBits bits, long nowNanos) {
        owesSample = true;
        askedNanos = nowNanos;
        ask(bits.mask(mask, categories), "S");
    }

    /** Asks what there is, unless that is asked already. */
    void askDescription() {
        if (!owesDescription) {
            owesDescription = true;
            ask(~0L, "#");
        }
    }

    /** Nobody waits for its description any more, until it has come. */
    void noteLateDescription() {
        describesLate = owesDescription;
    }

    /** Passes on that whom it could not reach shall be tried again. */
    void askReconnect() {
        if (connected && !output.hasRemaining()) {
            send("R\n");
        }
    }

    private void ask(long mask, String command) {
        String prefix = mask == maskSent ? "" : "0x" + Long.toHexString(mask);
        maskSent = mask;
        send(prefix + command + "\n");
    }

    /** What was not sent yet goes before. Failing is noticed when the channel is worked on. */
    private void send(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        output = ByteBuffer.allocate(output.remaining() + bytes.length)
                .put(output)
                .put(bytes)
                .flip();
        SocketChannel open = channel;
        if (open != null) {
            try {
                open.write(output);
            } catch (IOException e) {
                LOGGER.debug("supermon: cannot ask {}: {}", address, e.toString());
            }
        }
    }

    private void connect(Ports ports, long nowNanos) {
        beganNanos = nowNanos;
        askedNanos = nowNanos;
        try {
            SocketChannel fresh = SocketChannel.open();
            channel = fresh;
            fresh.configureBlocking(false);
            fresh.setOption(StandardSocketOptions.TCP_NODELAY, true);
            fresh.connect(address);
            ports.watch(fresh, SelectionKey.OP_CONNECT, this);
        } catch (IOException e) {
            giveUp(ports, e);
        } catch (UnsupportedAddressTypeException | UnresolvedAddressException e) {
            giveUp(ports, new IOException("this machine has no connections to such addresses", e));
        }
    }

    private boolean isStuck(long nowNanos) {
        boolean waits = channel != null && (!connected || owesSample);
        return waits && nowNanos - askedNanos > TimeUnit.SECONDS.toNanos(STUCK_SECONDS);
    }

    private void giveUp(Ports ports, IOException why) {
        SocketChannel open = channel;
        ended(why);
        if (open != null) {
            ports.drop(open);
        }
    }

    @Override
    public int work(long nowNanos) throws IOException {
        SocketChannel open = channel;
        if (open == null) {
            return OVER;
        }
        if (!connected) {
            if (!open.finishConnect()) {
                return SelectionKey.OP_CONNECT;
            }
            begin();
        }
        open.write(output);
        for (int round = 0; round < MOST_ROUNDS; round++) {
            int count = open.read(input.clear());
            if (count < 0) {
                throw new IOException("closed by the other side");
            }
            if (count == 0) {
                break;
            }
            take(input.flip());
        }
        return SelectionKey.OP_READ | (output.hasRemaining() ? SelectionKey.OP_WRITE : 0);
    }

    private void begin() {
        connected = true;
        connections++;
        reader = reader();
        output = ByteBuffer.allocate(0);
        maskSent = ~0L;
        description = "";
        categories = Map.of();
        describes = true;
        askDescription();
    }

    private void take(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            String answer = reader.accept(bytes.get());
            if (answer != null && SexpText.isList(answer)) {
                answered(answer);
            }
        }
    }

    private void answered(String answer) {
        backoff.succeeded();
        describesLate = false;
        if (saidLost) {
            saidLost = false;
            LOGGER.info("supermon: {} answers again", name());
        }
        if (ChildRecord.isDescription(answer)) {
            owesDescription = false;
            describes = true;
            description = answer;
            categories = ChildRecord.bits(answer);
            asker.described(this);
        } else if (owesSample) {
            owesSample = false;
            // Answers come in order: a description that was asked for before does not come any more.
            describes &= !owesDescription;
            owesDescription = false;
            asker.sampled(this, answer);
        }
    }

    @Override
    public void ended(@Nullable IOException why) {
        boolean wasOpen = channel != null;
        channel = null;
        connected = false;
        owesSample = false;
        owesDescription = false;
        describesLate = false;
        if (wasOpen && why != null) {
            retryNanos = beganNanos + backoff.failed();
            sayLost(why);
            asker.lost(this);
        }
    }

    private void sayLost(IOException why) {
        if (saidLost) {
            LOGGER.debug("supermon: {}: {}", name(), why.toString());
        } else {
            saidLost = true;
            LOGGER.warn("supermon: {}: {}; samples go without it until it answers", name(), why.getMessage());
        }
    }

    private String name() {
        return SupermonSink.describe(address).replace("supermon at ", "");
    }
}
