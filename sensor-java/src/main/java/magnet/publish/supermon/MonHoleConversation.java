// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import magnet.publish.server.Conversation;
import magnet.publish.server.Replies;

/**
 * A program that hands in values: one s-expression after the other. At one that cannot be taken it is told why, in a line,
 * and the connection ends. For the server's thread.
 */
final class MonHoleConversation implements Conversation {
    static final int MOST_BYTES = 4 * 1024;

    private static final int DEEPEST = 1;

    private final String user;
    private final HandedIn values;
    private final Runnable onEnd;
    private final SexpReader reader = new SexpReader(MOST_BYTES, DEEPEST);

    /**
     * One that has just come.
     *
     * @param user who it is
     * @param onEnd is told when it has left
     */
    MonHoleConversation(String user, HandedIn values, Runnable onEnd) {
        this.user = user;
        this.values = values;
        this.onEnd = onEnd;
    }

    @Override
    public int inputBytes() {
        return MOST_BYTES;
    }

    @Override
    public int mostPending() {
        return 1;
    }

    @Override
    public boolean take(ByteBuffer came, Replies answers) {
        try {
            while (came.hasRemaining()) {
                String expression = reader.accept(came.get());
                if (expression != null) {
                    values.take(user, expression);
                }
            }
        } catch (IOException e) {
            answers.add(StandardCharsets.UTF_8.encode("error: " + e.getMessage() + "\n"));
            answers.end();
        }
        return true;
    }

    @Override
    public void ended() {
        onEnd.run();
    }
}
