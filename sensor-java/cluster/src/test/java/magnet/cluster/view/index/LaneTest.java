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

final class LaneTest {
    @TempDir
    private Path folder;

    private PagedFile file;

    /** As brute force has it. */
    private record Slice(long begin, long end, int subject) {
        long within(long from, long to) {
            return Math.max(0, Math.min(to, end) - Math.max(from, begin));
        }

        boolean isBusy() {
            return Subject.isBusy(subject);
        }
    }

    private final List<Slice> slices = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        file = PagedFile.create(folder.resolve("lanes"));
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private Lane random(Random random, int count) throws IOException {
        Lane.Builder builder = new Lane.Builder(file);
        long at = random.nextInt(1_000);
        int[] subjects = new int[count];
        long[] begins = new long[count + 1];
        for (int i = 0; i < count; i++) {
            subjects[i] = random.nextInt(3) == 0 ? random.nextInt(Subject.FIRST) : Subject.FIRST + random.nextInt(40);
            begins[i] = at;
            builder.begin(at, subjects[i]);
            // Some take no time, and some take very long.
            at += random.nextInt(10) == 0
                    ? 0
                    : random.nextInt(20) == 0 ? random.nextInt(1_000_000) : random.nextInt(900);
        }
        begins[count] = at;
        Lane lane = builder.finish(at);
        file.map();
        for (int i = 0; i < count; i++) {
            slices.add(new Slice(begins[i], begins[i + 1], subjects[i]));
        }
        return lane;
    }

    private long busy(long from, long to) {
        return slices.stream()
                .filter(Slice::isBusy)
                .mapToLong(each -> each.within(from, to))
                .sum();
    }

    private long idle(long from, long to) {
        return slices.stream()
                .filter(each -> each.subject == Subject.IDLE)
                .mapToLong(each -> each.within(from, to))
                .sum();
    }

    private long busiest(long from, long to) {
        long best = -1;
        long most = 0;
        for (int i = 0; i < slices.size(); i++) {
            long within = slices.get(i).within(from, to);
            if (slices.get(i).isBusy() && within > most) {
                best = i;
                most = within;
            }
        }
        return best;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldAnswerThousandWindowsAsBruteForceDoes(long seed) throws IOException {
        Random random = new Random(seed);
        Lane lane = random(random, 3_000);
        long end = slices.get(slices.size() - 1).end;
        for (int i = 0; i < 1_000; i++) {
            long from = random.nextLong(end + 2_000) - 1_000;
            long to = from + random.nextLong(1, random.nextBoolean() ? 5_000 : end);
            assertThat(lane.busy(from, to)).isEqualTo(busy(from, to));
            assertThat(lane.idle(from, to)).isEqualTo(idle(from, to));
            assertThat(lane.busiest(from, to)).isEqualTo(busiest(from, to));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6})
    void shouldColourPixelsAsBruteForceDoes(long seed) throws IOException {
        Random random = new Random(seed);
        Lane lane = random(random, 2_000);
        long end = slices.get(slices.size() - 1).end;
        for (int i = 0; i < 20; i++) {
            long from = random.nextLong(end + 200) - 100;
            long length = random.nextLong(1, random.nextBoolean() ? 500 : end);
            long[] edges = new long[101];
            for (int pixel = 0; pixel < edges.length; pixel++) {
                edges[pixel] = from + length * pixel / (edges.length - 1);
            }
            lane.pixels(edges, (pixel, busy, idle, best) -> {
                assertThat(busy).isEqualTo(busy(edges[pixel], edges[pixel + 1]));
                assertThat(idle).isEqualTo(idle(edges[pixel], edges[pixel + 1]));
                assertThat(best).isEqualTo(busiest(edges[pixel], edges[pixel + 1]));
            });
        }
    }

    @Test
    void shouldFindTheLongestGapsWithinATime() throws IOException {
        Random random = new Random(7);
        Lane lane = random(random, 3_000);
        long end = slices.get(slices.size() - 1).end;
        for (int i = 0; i < 100; i++) {
            long from = random.nextLong(end);
            long to = from + random.nextLong(end);
            List<Long> expected = new ArrayList<>();
            for (long at = 0; at < slices.size(); at++) {
                Slice slice = slices.get((int) at);
                if (slice.subject == Subject.IDLE && slice.begin >= from && slice.end <= to) {
                    expected.add(at);
                }
            }
            expected.sort(Comparator.comparingLong(
                            (Long at) -> slices.get(at.intValue()).begin - slices.get(at.intValue()).end)
                    .thenComparing(Comparator.naturalOrder()));
            assertThat(lane.longestIdle(from, to, 10))
                    .containsExactlyElementsOf(expected.subList(0, Math.min(10, expected.size())));
        }
    }

    @Test
    void shouldVisitWhatHasSomeOfATime() throws IOException {
        Random random = new Random(8);
        Lane lane = random(random, 500);
        long end = slices.get(slices.size() - 1).end;
        for (int i = 0; i < 100; i++) {
            long from = random.nextLong(end);
            long to = from + random.nextLong(1, end);
            long[] sum = new long[1];
            lane.forEach(
                    from,
                    to,
                    (slice, begins, ends) -> sum[0] += lane.subject(slice) >= Subject.FIRST ? ends - begins : 0);
            assertThat(sum[0]).isEqualTo(busy(from, to));
        }
    }

    @Test
    void shouldHaveNothingToSayOfAnEmptyLane() throws IOException {
        Lane lane = new Lane.Builder(file).finish(100);
        file.map();

        assertThat(lane.busy(0, 100)).isZero();
        assertThat(lane.busiest(0, 100)).isEqualTo(-1);
        assertThat(lane.longestIdle(0, 100, 5)).isEmpty();
    }
}
