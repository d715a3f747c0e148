// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import magnet.trace.TraceClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClusterClocksTest {
    private static final long BEGIN = 1_795_808_355_123_456_789L;
    private static final long SECOND = 1_000_000_000;
    private static final TraceClock TSC = new TraceClock("TSC", 2_596_134_000L, 1_795_000_000L, 2_596_133_999L);

    /** Runs 3 ppm slow and is an hour and some behind. */
    private static final NodeClock SLOW = new NodeClock(
            TSC, BEGIN, BEGIN + 10 * SECOND, 3_600_000_000_123L, 3_600_000_030_123L, List.of(900.5, 100.25, 700.0), 2);

    private static final NodeClock REFERENCE =
            new NodeClock(TSC, BEGIN, BEGIN + 10 * SECOND, 0, 0, List.of(0.0, 0.0), 0);

    @TempDir
    private Path folder;

    private static ClusterClocks clocks() {
        ClockPair near = new ClockPair(
                "n1",
                "n2",
                1921,
                1935,
                true,
                true,
                BEGIN,
                BEGIN + 9 * SECOND,
                -3_600_000_000_120L,
                -3_600_000_027_120L,
                0.999_996,
                0.999_998,
                List.of(900.5, 100.25, 700.0),
                450.5,
                true,
                0);
        ClockPair one = new ClockPair("n2", "n3", 5, 0, false, false, 0, 0, 0, 0, 0, 0, List.of(), 0, false, 2);
        return new ClusterClocks(
                "20261127T193915Z-default-0a1b2c3d",
                "n1",
                Map.of("n1", REFERENCE, "n2", SLOW),
                List.of(near, one),
                Map.of("duplicate", 7L, "unmatched", 123_456_789_012L),
                4);
    }

    @Test
    void shouldSayWhatWasWritten() throws IOException {
        clocks().write(folder);

        assertThat(ClusterClocks.isIn(folder)).isTrue();
        assertThat(ClusterClocks.read(folder)).isEqualTo(clocks());
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
        assertThat(clocks().matched()).isEqualTo(3861);
        assertThat(clocks().violations()).isEqualTo(2);
    }

    @Test
    void shouldMapANodesTimeAndBack() {
        assertThat(SLOW.toReferenceNs(BEGIN)).isEqualTo(BEGIN + 3_600_000_000_123L);
        assertThat(SLOW.toReferenceNs(BEGIN + 5 * SECOND)).isEqualTo(BEGIN + 5 * SECOND + 3_600_000_015_123L);
        assertThat(SLOW.toReferenceNs(BEGIN + 20 * SECOND)).isEqualTo(BEGIN + 20 * SECOND + 3_600_000_060_123L);
        assertThat(SLOW.toReferenceNs(BEGIN - 10 * SECOND)).isEqualTo(BEGIN - 10 * SECOND + 3_599_999_970_123L);
        for (long at = BEGIN - 2 * SECOND; at < BEGIN + 12 * SECOND; at += 123_456_789) {
            assertThat(SLOW.fromReferenceNs(SLOW.toReferenceNs(at))).isCloseTo(at, within(1L));
            assertThat(REFERENCE.toReferenceNs(at)).isEqualTo(at);
        }
    }

    @Test
    void shouldBoundTheErrorBetweenAndBeyondTheInstantsThatAreGiven() {
        assertThat(SLOW.halfWidthNs(BEGIN)).isEqualTo(900.5);
        assertThat(SLOW.halfWidthNs(BEGIN + 5 * SECOND)).isEqualTo(100.25);
        assertThat(SLOW.halfWidthNs(BEGIN + 7 * SECOND + SECOND / 2)).isEqualTo(400.125);
        assertThat(SLOW.halfWidthNs(BEGIN + 10 * SECOND)).isEqualTo(700);
        assertThat(SLOW.halfWidthNs(BEGIN + 11 * SECOND)).isEqualTo(2700);
        assertThat(SLOW.halfWidthNs(BEGIN - SECOND)).isEqualTo(2900.5);
    }

    @Test
    void shouldTakeThePairsOwnBoundWhereThatIsCloser() {
        assertThat(clocks().halfWidthNs("n2", "n1", BEGIN)).isEqualTo(450.5);
        assertThat(clocks().halfWidthNs("n2", "n1", BEGIN + 5 * SECOND)).isEqualTo(100.25);
        assertThat(clocks().halfWidthNs("n1", "n1", BEGIN)).isZero();
        assertThat(clocks().halfWidthNs("n1", "n3", BEGIN)).isInfinite();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "no",
                "{\"version\": 1}",
                "{\"version\": 1, \"run\": \"\", \"reference\": \"x\", \"nodes\": {}, \"pairs\": [], \"left_out\": {}, \"sampled\": 1}",
                "{\"version\": 1, \"run\": 5, \"reference\": \"x\", \"nodes\": {\"x\": 7}, \"pairs\": [], \"left_out\": {}, \"sampled\": 1}"
            })
    void shouldRefuseWhatIsNone(String text) throws IOException {
        Files.writeString(folder.resolve(ClusterClocks.FILE), text);

        assertThatThrownBy(() -> ClusterClocks.read(folder))
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("null");
    }

    @Test
    void shouldRefuseALaterVersion() throws IOException {
        Files.writeString(folder.resolve(ClusterClocks.FILE), "{\"version\": 2}");

        assertThatThrownBy(() -> ClusterClocks.read(folder)).hasMessageContaining("not of version 1");
    }

    @Test
    void shouldSayOfAnyTextThatItIsNoneOrReadIt() throws IOException {
        String good = clocks().json();
        Random random = new Random(20_261_127);
        int refused = 0;
        for (int number = 0; number < 5_000; number++) {
            StringBuilder text = new StringBuilder(good);
            for (int change = 1 + random.nextInt(3); change > 0; change--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, (char) (' ' + random.nextInt(95)));
                    case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(40)));
                    default -> text.insert(at, good, at / 2, at / 2 + random.nextInt(20));
                }
            }
            Files.writeString(folder.resolve(ClusterClocks.FILE), text);
            try {
                ClusterClocks.read(folder);
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 4_999);
    }
}
