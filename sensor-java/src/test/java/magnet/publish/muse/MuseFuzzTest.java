// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Optional;
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
}
