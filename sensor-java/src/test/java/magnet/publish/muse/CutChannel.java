// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * A client's side that gives and takes few bytes at a time, and each other time none, until everything came; then it is at its
 * end. For one thread.
 */
final class CutChannel implements ByteChannel {
    private final ByteBuffer input;
    private final int most;
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private boolean none;
    private boolean failed;
    private boolean open = true;

    /**
     * @param bytes what the client sends before it closes
     * @param most bytes at a time
     */
    CutChannel(byte[] bytes, int most) {
        this.input = ByteBuffer.wrap(bytes);
        this.most = most;
    }

    @Override
    public int read(ByteBuffer into) {
        if (!input.hasRemaining()) {
            return -1;
        }
        return move(input, into, Math.min(input.remaining(), into.remaining()));
    }

    @Override
    public int write(ByteBuffer from) {
        ByteBuffer taken = ByteBuffer.allocate(from.remaining());
        int count = move(from, taken, from.remaining());
        sent.write(taken.array(), 0, count);
        return count;
    }

    private int move(ByteBuffer from, ByteBuffer into, int possible) {
        none = !none;
        int count = none ? 0 : Math.min(possible, most);
        into.put(from.slice(from.position(), count));
        from.position(from.position() + count);
        return count;
    }

    /** All that the client got. */
    byte[] sent() {
        return sent.toByteArray();
    }

    /** Notes that the server gave it up. */
    void fail() {
        failed = true;
    }

    boolean failed() {
        return failed;
    }

    /** Turns that it may take until now: each moves a byte, or is one of those in which nothing moves. */
    int most() {
        return 2 * (input.position() + sent.size()) + 4;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
