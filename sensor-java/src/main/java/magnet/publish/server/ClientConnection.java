// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: what came and is not taken yet, and answers that are not sent yet. Of answers only so many wait; then
 * nothing more is read until the client takes them, nor while an answer is being made, so that it costs no more memory, however
 * much it asks. For one thread.
 */
public final class ClientConnection implements Connection, Replies {
    /** After that it is the others' turn. */
    private static final int MOST_ROUNDS = 16;

    private final ByteChannel channel;
    private final Conversation conversation;
    private final LongConsumer waits;
    private final ByteBuffer input;
    private final Deque<ByteBuffer> output = new ArrayDeque<>();
    private Runnable wake = () -> {};
    private long pending;
    private long movedNanos;
    private boolean working;
    private boolean expecting;
    private boolean ending;
    private boolean over;

    /**
     * One that has just come.
     *
     * @param channel does not block; closing it is left to the server
     * @param waits is told by how many bytes more answers wait, or fewer; may end this client at once
     */
    public ClientConnection(ByteChannel channel, Conversation conversation, LongConsumer waits, long nowNanos) {
        this.channel = channel;
        this.conversation = conversation;
        this.waits = waits;
        this.input = ByteBuffer.allocate(conversation.inputBytes()).limit(0);
        this.movedNanos = nowNanos;
        working(() -> conversation.begin(this));
    }

    /** What lets the server work on it soon. */
    void onWake(Runnable action) {
        wake = action;
    }

    @Override
    public int work(long nowNanos) throws IOException {
        working = true;
        try {
            return next(nowNanos);
        } finally {
            working = false;
        }
    }

    private void working(Runnable action) {
        working = true;
        action.run();
        working = false;
    }

    private int next(long nowNanos) throws IOException {
        boolean more = true;
        for (int round = 0; more && round < MOST_ROUNDS; round++) {
            send(nowNanos);
            boolean took = mayTake() && input.hasRemaining() && conversation.take(input, this);
            // At the end of what came nothing is read before all that was whole is taken.
            more = took || (mayTake() && read(nowNanos));
        }
        if (ending && output.isEmpty() && !expecting) {
            return OVER;
        }
        boolean unfinished = more || !output.isEmpty();
        return (mayTake() ? SelectionKey.OP_READ : 0) | (unfinished ? SelectionKey.OP_WRITE : 0);
    }

    /** Since when neither came anything nor went anything. */
    long movedNanos() {
        return movedNanos;
    }

    /** Whether it has answers to take. */
    boolean hasAnswers() {
        return !output.isEmpty();
    }

    /** Whether it may be silent for as long as it likes. */
    boolean isInUse() {
        return hasAnswers() || expecting || conversation.isInUse();
    }

    /** What it has not taken is forgotten, and answers that are still made for it are. */
    @Override
    public void ended(@Nullable IOException why) {
        if (over) {
            return;
        }
        over = true;
        ending = true;
        expecting = false;
        output.clear();
        waits.accept(-pending);
        pending = 0;
        conversation.ended();
    }

    @Override
    public boolean mayTake() {
        return !ending && !expecting && pending < conversation.mostPending();
    }

    private boolean read(long nowNanos) throws IOException {
        input.compact();
        int count = channel.read(input);
        input.flip();
        if (count > 0) {
            movedNanos = nowNanos;
        }
        ending |= count < 0;
        return count > 0;
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
    public void add(ByteBuffer answer) {
        if (over) {
            return;
        }
        expecting = false;
        output.addLast(answer);
        pending += answer.remaining();
        waits.accept(answer.remaining());
        if (!working) {
            wake.run();
        }
    }

    @Override
    public void expect() {
        expecting = true;
    }

    @Override
    public void end() {
        ending = true;
    }
}
