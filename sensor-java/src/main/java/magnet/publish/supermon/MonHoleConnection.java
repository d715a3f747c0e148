// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A program that hands in values: one s-expression after the other. At one that cannot be taken it is told why, in a line,
 * and the connection ends. For the server's thread.
 */
final class MonHoleConnection implements Connection {
    static final int MOST_BYTES = 4 * 1024;

    private static final int DEEPEST = 1;

    private final SocketChannel channel;
    private final String user;
    private final HandedIn values;
    private final Runnable onEnd;
    private final SexpReader reader = new SexpReader(MOST_BYTES, DEEPEST);
    private final ByteBuffer input = ByteBuffer.allocate(MOST_BYTES);

    /**
     * One that has just come.
     *
     * @param user who it is
     * @param onEnd is told when it has left
     */
    MonHoleConnection(SocketChannel channel, String user, HandedIn values, Runnable onEnd) {
        this.channel = channel;
        this.user = user;
        this.values = values;
        this.onEnd = onEnd;
    }

    @Override
    public int work(long nowNanos) throws IOException {
        int count = channel.read(input.clear());
        try {
            take(input.flip());
        } catch (IOException e) {
            // As far as there is room for it: nobody waits until it is read.
            channel.write(StandardCharsets.UTF_8.encode("error: " + e.getMessage() + "\n"));
            return OVER;
        }
        return count < 0 ? OVER : SelectionKey.OP_READ;
    }

    private void take(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            String expression = reader.accept(bytes.get());
            if (expression != null) {
                values.take(user, expression);
            }
        }
    }

    @Override
    public void ended(@Nullable IOException why) {
        onEnd.run();
    }
}
