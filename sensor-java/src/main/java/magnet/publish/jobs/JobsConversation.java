// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import magnet.publish.server.Conversation;
import magnet.publish.server.Replies;

/** A client that asks for the jobs: one line, one answer, and that was all. For the server's thread. */
public final class JobsConversation implements Conversation {
    /** The request. */
    public static final String REQUEST = "jobs";

    static final int MOST_BYTES = 64;

    private final Supplier<String> answer;
    private final Runnable onEnd;

    /**
     * One that has just come.
     *
     * @param answer makes what it is told
     * @param onEnd is told when it has left
     */
    JobsConversation(Supplier<String> answer, Runnable onEnd) {
        this.answer = answer;
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

    /** Whoever asks for nothing makes room after a while. */
    @Override
    public boolean isInUse() {
        return false;
    }

    @Override
    public boolean take(ByteBuffer came, Replies answers) throws IOException {
        String text = StandardCharsets.US_ASCII.decode(came.duplicate()).toString();
        int end = text.indexOf('\n');
        if (end < 0 && came.remaining() < MOST_BYTES) {
            return false;
        }
        came.position(came.limit());
        boolean asks = end >= 0 && text.substring(0, end).strip().equals(REQUEST);
        String reply = asks ? answer.get() : JobsAnswer.error("a request is the line '" + REQUEST + "'");
        answers.add(StandardCharsets.UTF_8.encode(reply));
        answers.end();
        return true;
    }

    @Override
    public void ended() {
        onEnd.run();
    }
}
