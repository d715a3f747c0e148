// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;

/**
 * A client's connection: one byte that says that it is welcome, then requests and replies, each behind its length as u32.
 * A request is read when the reply before it is taken. For the server's thread.
 */
final class MuseConnection implements AutoCloseable {
    /** What {@link #work} returns when the connection is over. */
    static final int OVER = -1;

    /** Most bytes of a request behind its length. */
    static final int REQUEST_BYTES = 8_192;

    static final byte ACCEPTED = 0;
    static final byte REFUSED = 1;

    /** After that it is the others' turn. */
    private static final int MOST_ROUNDS = 16;

    private final ByteChannel channel;
    private final Session session;
    private final ByteBuffer input = ByteBuffer.allocate(Integer.BYTES + REQUEST_BYTES);
    private final ByteBuffer output = ByteBuffer.allocate(Session.REPLY_BYTES);
    private long movedNanos;
    private boolean ended;

    /** @param channel to the client, which does not block; closing it is left to the server */
    MuseConnection(ByteChannel channel, Session session, long nowNanos) {
        this.channel = channel;
        this.session = session;
        this.movedNanos = nowNanos;
        output.put(ACCEPTED).flip();
    }

    /**
     * Takes what came, answers it, and sends what can be sent.
     *
     * @return operations of the channel to wait for, or {@link #OVER}
     * @throws IOException if the connection has failed, or a request is longer than any is
     */
    int work(long nowNanos) throws IOException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (output.hasRemaining()) {
                movedNanos = channel.write(output) > 0 ? nowNanos : movedNanos;
                if (output.hasRemaining()) {
                    return SelectionKey.OP_WRITE;
                }
            }
            if (session.isOver()) {
                return OVER;
            }
            if (!answer() && !read(nowNanos)) {
                return ended ? OVER : SelectionKey.OP_READ;
            }
        }
        return SelectionKey.OP_READ | SelectionKey.OP_WRITE;
    }

    /** Since when neither came anything nor went anything. */
    long movedNanos() {
        return movedNanos;
    }

    /** Whether it has handlers, or a reply to take. */
    boolean isInUse() {
        return session.hasHandlers() || hasReply();
    }

    /** Whether it has a reply to take. */
    boolean hasReply() {
        return output.hasRemaining();
    }

    private boolean read(long nowNanos) throws IOException {
        int count = channel.read(input);
        ended = count < 0;
        movedNanos = count > 0 ? nowNanos : movedNanos;
        return count > 0;
    }

    /** Whether a whole request was there. */
    private boolean answer() throws IOException {
        if (input.position() < Integer.BYTES) {
            return false;
        }
        long length = Integer.toUnsignedLong(input.getInt(0));
        if (length > REQUEST_BYTES) {
            throw new IOException("a request of " + length + " bytes; the longest is " + REQUEST_BYTES);
        }
        int end = Integer.BYTES + (int) length;
        if (input.position() < end) {
            return false;
        }
        int came = input.position();
        ByteBuffer frame = input.slice(Integer.BYTES, (int) length);
        session.answer(frame, output.clear());
        output.flip();
        input.position(end).limit(came);
        input.compact();
        return true;
    }

    @Override
    public void close() {
        session.close();
    }
}
