// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import magnet.publish.server.ClientConnection;
import magnet.publish.server.Connection;
import magnet.record.EventType;

/**
 * Whatever a client sends is done or refused, in bounded memory, and leaves nothing hooked. Runs over the inputs in
 * MuseFuzzTestInputs; with JAZZER_FUZZ=1 it makes its own.
 */
class MuseFuzzTest {
    /** Requests behind u8 lengths, with events between them. */
    @FuzzTest(maxDuration = "60s")
    void shouldAnswerAnything(byte[] bytes) {
        FakeTap tap = new FakeTap();
        LiveHandlers live = new LiveHandlers(tap::open, tap, () -> 0);
        Session session = new Session(new Session.Shared(live, tap, 2, StructLayout.I386, Optional::empty), true);
        ByteBuffer input = ByteBuffer.wrap(bytes);
        ByteBuffer reply = ByteBuffer.allocate(Session.REPLY_BYTES);
        while (input.hasRemaining() && !session.isOver()) {
            int length = Math.min(Byte.toUnsignedInt(input.get()), input.remaining());
            session.answer(input.slice(input.position(), length), reply.clear());
            input.position(input.position() + length);
            reply.flip();
            assertThat(reply.getInt()).isEqualTo(reply.remaining()).isPositive();
            assertThat(reply.get()).isBetween((byte) 0, (byte) 1);
            tap.now += 1_000_000;
            tap.switched(length % 3, length, length + 1).log(EventType.INET_SENDMSG, 1, length, 1, 9, length, 2, 6);
        }
        session.close();
        assertThat(tap.selected).isEmpty();
        live.close();
        assertThat(tap.open).isFalse();
    }

    /** A whole stream of requests with their lengths, behind a byte that says how it is cut. */
    @FuzzTest(maxDuration = "60s")
    void shouldAnswerTheSameWhereverTheNetworkCuts(byte[] bytes) throws IOException {
        byte[] stream = Arrays.copyOfRange(bytes, Math.min(1, bytes.length), bytes.length);
        CutChannel whole = talk(new CutChannel(stream, Integer.MAX_VALUE));
        assertThat(whole.sent()).startsWith(MuseConversation.ACCEPTED);
        assertThat(whole.sent().length)
                .isLessThanOrEqualTo(1 + (stream.length / Integer.BYTES + 1) * Session.REPLY_BYTES);
        int most = bytes.length == 0 ? 1 : 1 + Byte.toUnsignedInt(bytes[0]);
        CutChannel cut = talk(new CutChannel(stream, most));
        assertThat(cut.sent()).isEqualTo(whole.sent());
        assertThat(cut.failed()).isEqualTo(whole.failed());
    }

    /** Until the connection is over, which it is soon after everything came. */
    private static CutChannel talk(CutChannel channel) throws IOException {
        FakeTap tap = new FakeTap();
        LiveHandlers live = new LiveHandlers(tap::open, tap, () -> 0);
        Session session = new Session(new Session.Shared(live, tap, 2, StructLayout.I386, Optional::empty), true);
        ClientConnection connection = new ClientConnection(channel, new MuseConversation(session), more -> {}, 0);
        int turns = 0;
        while (turn(connection, channel)) {
            assertThat(turns++).as("turns").isLessThanOrEqualTo(channel.most());
        }
        connection.ended(null);
        assertThat(tap.selected).isEmpty();
        live.close();
        return channel;
    }

    private static boolean turn(Connection connection, CutChannel channel) {
        try {
            return connection.work(0) != Connection.OVER;
        } catch (IOException e) {
            channel.fail();
            return false;
        }
    }
}
