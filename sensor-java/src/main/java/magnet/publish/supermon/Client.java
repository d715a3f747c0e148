// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: what came and is not done yet, and answers that are not sent yet. Of answers only so many wait; then
 * nothing more is read until the client takes them, nor while an answer is being made, so that it costs no more memory, however
 * much it asks. For one thread.
 */
final class Client implements Connection, RequestReader.Requests {
    private static final int INPUT_BYTES = 4 * 1024;
    /** After that it is the others' turn. */
    private static final int MOST_ROUNDS = 16;

    private final SocketChannel channel;
    private final Source source;
    private final Runnable wake;
    private final LongConsumer waits;
    private final int mostPending;
    private final RequestReader reader = new RequestReader();
    private final ByteBuffer input = ByteBuffer.allocate(INPUT_BYTES).limit(0);
    private final Deque<ByteBuffer> output = new ArrayDeque<>();
    private long pending;
    private long movedNanos;
    private boolean working;
    private boolean asking;
    private boolean ending;
    private boolean over;

    /**
     * One that has just come.
     *
     * @param wake lets the server work on it soon
     * @param waits is told by how many bytes more answers wait, or fewer; may end this client at once
     * @param mostPending bytes of answers after which one more is the last that waits
     */
    Client(SocketChannel channel, Source source, Runnable wake, LongConsumer waits, int mostPending, long nowNanos) {
        this.channel = channel;
        this.source = source;
        this.wake = wake;
        this.waits = waits;
        this.mostPending = mostPending;
        this.movedNanos = nowNanos;
    }

    /** Takes what came, answers it, and sends what can be sent. */
    @Override
    public int work(long nowNanos) throws IOException {
        working = true;
        try {
            return next(nowNanos);
        } finally {
            working = false;
        }
    }

    private int next(long nowNanos) throws IOException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            handle();
            send(nowNanos);
            if (!mayRead() || (!input.hasRemaining() && !read(nowNanos))) {
                break;
            }
        }
        if (ending && output.isEmpty() && !asking) {
            return OVER;
        }
        boolean unfinished = !output.isEmpty() || (input.hasRemaining() && !asking);
        return (mayRead() ? SelectionKey.OP_READ : 0) | (unfinished ? SelectionKey.OP_WRITE : 0);
    }

    /** Since when neither came anything nor went anything. */
    long movedNanos() {
        return movedNanos;
    }

    /** Whether it has answers to take. */
    boolean hasAnswers() {
        return !output.isEmpty();
    }

    /** Bytes of answers that wait to be sent. */
    long pending() {
        return pending;
    }

    /** What it has not taken is forgotten, and answers that are still made for it are. */
    @Override
    public void ended(@Nullable IOException why) {
        over = true;
        ending = true;
        asking = false;
        output.clear();
        waits.accept(-pending);
        pending = 0;
    }

    private boolean mayRead() {
        return !ending && !asking && pending < mostPending;
    }

    private boolean read(long nowNanos) throws IOException {
        int count = channel.read(input.clear());
        input.flip();
        if (count > 0) {
            movedNanos = nowNanos;
        }
        ending |= count < 0;
        return count > 0;
    }

    private void handle() {
        while (input.hasRemaining() && mayRead()) {
            reader.accept(input.get(), this);
        }
    }

    private void send(long nowNanos) throws IOException {
        while (!output.isEmpty()) {
            ByteBuffer first = output.getFirst();
            int count = channel.write(first);
            pending -= count;
            waits.accept(-count);
            if (count > 0) {
                movedNanos = nowNanos;
            }
            if (first.hasRemaining()) {
                return;
            }
            output.removeFirst();
        }
    }

    @Override
    public void sample(long mask) {
        asking = true;
        source.sample(mask, this::answer);
    }

    @Override
    public void describe(long mask) {
        asking = true;
        source.describe(mask, this::answer);
    }

    @Override
    public void reconnect() {
        source.reconnect();
    }

    @Override
    public void quit() {
        ending = true;
    }

    private void answer(byte[] bytes) {
        if (over) {
            return;
        }
        asking = false;
        output.addLast(ByteBuffer.wrap(bytes));
        pending += bytes.length;
        waits.accept(bytes.length);
        if (!working) {
            wake.run();
        }
    }
}
