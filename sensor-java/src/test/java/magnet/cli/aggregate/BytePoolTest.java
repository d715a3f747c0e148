// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class BytePoolTest {
    private final BytePool pool = new BytePool();

    private long number(String text) {
        byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
        return pool.numberOf(ByteBuffer.wrap(bytes), 1, bytes.length - 2);
    }

    private String text(long number) {
        return new String(pool.bytes(number), StandardCharsets.UTF_8);
    }

    @Test
    void shouldGiveEqualBytesTheSameNumber() {
        assertThat(number("")).isZero();
        for (int i = 0; i < 10_000; i++) {
            assertThat(number("text " + i)).isEqualTo(i + 1);
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(number("text " + i)).isEqualTo(i + 1);
            assertThat(text(i + 1)).isEqualTo("text " + i);
        }
        assertThat(text(0)).isEmpty();
    }

    @Test
    void shouldSayWhenThereIsNoRoom() {
        long number = 0;
        for (int i = 0; number >= 0; i++) {
            number = number(Integer.toString(i));
            assertThat(number).isEqualTo(i < 65_536 ? i : BytePool.NO_ROOM);
        }
        assertThat(number("65535")).as("what it has it finds").isEqualTo(65_535);
    }

    @Test
    void shouldHoldEightMebibytesAndNoMore() {
        String kibibyte = "x".repeat(1_018);
        for (int i = 0; i < 8_192; i++) {
            assertThat(number(kibibyte + "%06d".formatted(i))).isEqualTo(i);
        }
        assertThat(number("y")).isEqualTo(BytePool.NO_ROOM);
        assertThat(number(kibibyte + "000007")).isEqualTo(7);
    }

    @Test
    void shouldForget() {
        number("a");
        number("b");
        pool.clear();
        assertThat(number("b")).isZero();
        assertThat(text(0)).isEqualTo("b");
    }
}
