// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WaitsTest {
    @TempDir
    private Path folder;

    private PagedFile file;

    @BeforeEach
    void open() throws IOException {
        file = PagedFile.create(folder.resolve("waits"));
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 17, 5_000})
    void shouldSayOfEachSliceWhatItWasToldAndWhichAreLongest(int count) throws IOException {
        Random random = new Random(count);
        Waits waits = new Waits(file);
        List<Long> lengths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long length = switch (random.nextInt(4)) {
                case 0, 1 -> -1;
                case 2 -> random.nextLong(1_000);
                // Some are longer than 31 bits can say.
                default -> random.nextInt(50) == 0 ? random.nextLong(1L << 40) : random.nextLong(1_000_000);
            };
            lengths.add(length);
            waits.add(length, new Cause(Cause.Kind.THREAD, i));
        }
        waits.finish();
        file.map();
        for (int i = 0; i < count; i++) {
            assertThat(waits.length(i)).isEqualTo(lengths.get(i));
            assertThat(waits.cause(i).number()).isEqualTo(lengths.get(i) < 0 ? 0 : i);
        }
        for (int i = 0; i < 200; i++) {
            int from = random.nextInt(count + 1);
            int to = from + random.nextInt(count + 1 - from);
            List<Long> expected = new ArrayList<>();
            for (long at = from; at < to; at++) {
                if (lengths.get((int) at) >= 0) {
                    expected.add(at);
                }
            }
            expected.sort(Comparator.comparing((Long at) -> lengths.get(at.intValue()))
                    .reversed()
                    .thenComparing(Comparator.naturalOrder()));
            assertThat(waits.longest(from, to, 7))
                    .containsExactlyElementsOf(expected.subList(0, Math.min(7, expected.size())));
        }
    }

    @Test
    void shouldKeepTimesThatAreFarApart() throws IOException {
        Random random = new Random(5);
        Times times = new Times(file);
        List<Long> expected = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < 10_001; i++) {
            now += random.nextInt(100) == 0 ? random.nextLong(1L << 40) : random.nextLong(100_000);
            expected.add(now);
            times.add(now);
        }
        times.finish();
        file.map();
        for (int i = 0; i < expected.size(); i++) {
            assertThat(times.get(i)).isEqualTo(expected.get(i));
        }
    }
}
