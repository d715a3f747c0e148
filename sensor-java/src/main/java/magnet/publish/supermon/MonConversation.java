// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.nio.ByteBuffer;
import java.util.Objects;
import magnet.publish.server.Conversation;
import magnet.publish.server.Replies;
import org.jspecify.annotations.Nullable;

/** What a client of Supermon's asks, and the source's answers. For the server's thread. */
final class MonConversation implements Conversation, RequestReader.Requests {
    private static final int INPUT_BYTES = 4 * 1024;

    private final Source source;
    private final int mostPending;
    private final RequestReader reader = new RequestReader();
    private @Nullable Replies answers;

    /**
     * One that has just come.
     *
     * @param mostPending bytes of answers after which one more is the last that waits
     */
    MonConversation(Source source, int mostPending) {
        this.source = source;
        this.mostPending = mostPending;
    }

    @Override
    public int inputBytes() {
        return INPUT_BYTES;
    }

    @Override
    public int mostPending() {
        return mostPending;
    }

    @Override
    public void begin(Replies to) {
        answers = to;
    }

    @Override
    public boolean take(ByteBuffer came, Replies to) {
        int before = came.remaining();
        while (came.hasRemaining() && to.mayTake()) {
            reader.accept(came.get(), this);
        }
        return came.remaining() < before;
    }

    @Override
    public void sample(long mask) {
        answers().expect();
        source.sample(mask, this::answer);
    }

    @Override
    public void describe(long mask) {
        answers().expect();
        source.describe(mask, this::answer);
    }

    @Override
    public void reconnect() {
        source.reconnect();
    }

    @Override
    public void quit() {
        answers().end();
    }

    private void answer(byte[] bytes) {
        answers().add(ByteBuffer.wrap(bytes));
    }

    private Replies answers() {
        return Objects.requireNonNull(answers);
    }
}
