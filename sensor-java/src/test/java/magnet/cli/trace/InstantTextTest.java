// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class InstantTextTest {
    @Test
    void shouldWriteWhatInstantsWrite() {
        InstantText text = new InstantText();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long second = 1_790_000_000L - random.nextInt(3) * (long) random.nextInt(2_000_000_000);
            long unit = new long[] {1, 1_000, 1_000_000, 1_000_000_000, 100_000_000}[random.nextInt(5)];
            long nanos = second * 1_000_000_000 + random.nextInt(1_000_000_000) / unit * unit;
            assertThat(text.of(nanos)).isEqualTo(Instant.ofEpochSecond(0, nanos).toString());
        }
    }
}
