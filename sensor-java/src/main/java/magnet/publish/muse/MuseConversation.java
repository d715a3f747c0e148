// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.nio.ByteBuffer;
import magnet.publish.server.Conversation;
import magnet.publish.server.Replies;

/**
 * What a client of MUSE's says: it is told by one byte that it is welcome, then come requests and replies, each behind its
 * length as u32. A request is read when the reply before it is taken. For the server's thread.
 */
final class MuseConversation implements Conversation {
    /** Most bytes of a request behind its length. */
    static final int REQUEST_BYTES = 8_192;

    static final byte ACCEPTED = 0;
    static final byte REFUSED = 1;

    private final Session session;
    private final ByteBuffer reply = ByteBuffer.allocate(Session.REPLY_BYTES);

    MuseConversation(Session session) {
        this.session = session;
    }

    @Override
    public int inputBytes() {
        return Integer.BYTES + REQUEST_BYTES;
    }

    /** There is one buffer for replies. */
    @Override
    public int mostPending() {
        return 1;
    }

    @Override
    public void begin(Replies answers) {
        answers.add(reply.put(ACCEPTED).flip());
    }

    /** Takes one request, if it is whole. */
    @Override
    public boolean take(ByteBuffer came, Replies answers) throws IOException {
        if (came.remaining() < Integer.BYTES) {
            return false;
        }
        long length = Integer.toUnsignedLong(came.getInt(came.position()));
        if (length > REQUEST_BYTES) {
            throw new IOException("a request of " + length + " bytes; the longest is " + REQUEST_BYTES);
        }
        int whole = Integer.BYTES + (int) length;
        if (came.remaining() < whole) {
            return false;
        }
        session.answer(came.slice(came.position() + Integer.BYTES, (int) length), reply.clear());
        came.position(came.position() + whole);
        answers.add(reply.flip());
        if (session.isOver()) {
            answers.end();
        }
        return true;
    }

    @Override
    public boolean isInUse() {
        return session.hasHandlers();
    }

    @Override
    public void ended() {
        session.close();
    }
}
