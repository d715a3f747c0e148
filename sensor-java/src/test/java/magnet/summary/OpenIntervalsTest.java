// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenIntervalsTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 9, 1_000, 1_024})
    void shouldRoundUpWhenCapacityIsNoPowerOfTwo(int capacity) {
        int places = new OpenIntervals(capacity).capacity();
        assertThat(places).isGreaterThanOrEqualTo(Math.max(capacity, 8)).isLessThan(Math.max(16, 2 * capacity));
        assertThat(Integer.bitCount(places)).isOne();
    }

    @Test
    void shouldKeepBeginAndLastApartWhenStepping() {
        OpenIntervals open = new OpenIntervals(8);
        int place = open.open(1, 2, 100, 1);
        open.step(place, 130, 2);
        assertThat(open.find(1, 2)).isEqualTo(place);
        assertThat(open.begin(place)).isEqualTo(100);
        assertThat(open.last(place)).isEqualTo(130);
        assertThat(open.stage(place)).isEqualTo(2);
    }

    @Test
    void shouldBeginAnewWhenKeyIsOpen() {
        OpenIntervals open = new OpenIntervals(8);
        open.open(1, 2, 100, 1);
        int place = open.open(1, 2, 200, 1);
        assertThat(open.size()).isOne();
        assertThat(open.begin(place)).isEqualTo(200);
        assertThat(open.takeEvicted()).isZero();
    }

    @Test
    void shouldCountApartWhatGivesWayAtAStage() {
        OpenIntervals open = new OpenIntervals(8);
        open.watch(2);
        for (int i = 0; i < 8; i++) {
            open.open(i, 0, 100 + i, i % 2 + 1);
        }
        for (int i = 0; i < 5; i++) {
            open.open(8 + i, 0, 200 + i, 1);
        }
        assertThat(open.takeEvictedWatched()).isEqualTo(2);
        assertThat(open.takeEvictedWatched()).isZero();
        assertThat(open.takeEvicted()).isEqualTo(5);
    }

    @Test
    void shouldEvictTheOldestWhenFull() {
        OpenIntervals open = new OpenIntervals(8);
        for (int i = 0; i < 8; i++) {
            open.open(i, 0, 100 + i, 1);
        }
        open.step(open.find(0, 0), 500, 2);
        open.open(8, 0, 600, 1);
        assertThat(open.find(1, 0)).isEqualTo(OpenIntervals.NONE);
        assertThat(open.find(0, 0)).isNotEqualTo(OpenIntervals.NONE);
        assertThat(open.size()).isEqualTo(8);
        assertThat(open.takeEvicted()).isOne();
        assertThat(open.takeEvicted()).isZero();
    }

    @Test
    void shouldForgetAllWhenClosed() {
        OpenIntervals open = new OpenIntervals(64);
        open.note(open.open(1, 1, 1, 1), 1);
        open.note(open.open(1, 2, 1, 1), 1);
        open.note(open.open(2, 1, 1, 1), 2);
        open.closeNoted(1);
        assertThat(open.size()).isOne();
        assertThat(open.find(2, 1)).isNotEqualTo(OpenIntervals.NONE);
        assertThat(open.closeAll()).isOne();
        assertThat(open.closeAll()).isZero();
        assertThat(open.find(2, 1)).isEqualTo(OpenIntervals.NONE);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void shouldAgreeWithAMapWhenNothingIsEvicted(long seed) {
        Random random = new Random(seed);
        OpenIntervals open = new OpenIntervals(4_096);
        Map<List<Long>, Long> expected = new HashMap<>();
        for (long step = 0; step < 50_000; step++) {
            long first = random.nextInt(20);
            long second = random.nextInt(10) * 0x1_0000_0001L;
            List<Long> key = List.of(first, second);
            int place = open.find(first, second);
            assertThat(place != OpenIntervals.NONE).as("seed %s", seed).isEqualTo(expected.containsKey(key));
            if (place != OpenIntervals.NONE && random.nextBoolean()) {
                assertThat(open.begin(place)).as("seed %s", seed).isEqualTo(expected.remove(key));
                open.close(place);
            } else {
                open.open(first, second, step, 1);
                expected.put(key, step);
            }
            assertThat(open.size()).isEqualTo(expected.size());
        }
        assertThat(open.takeEvicted()).isZero();
    }

    @Test
    void shouldBeSmallUntilThereIsMuch() {
        OpenIntervals open = new OpenIntervals(8_192);
        int atFirst = open.places();
        for (int key = 0; key < 64; key++) {
            open.open(key, 0, key, 1);
        }
        assertThat(open.places()).isEqualTo(atFirst).isLessThan(1_024);
        for (int key = 64; key < 3_000; key++) {
            open.open(key, 0, key, 1);
        }
        assertThat(open.places()).isBetween(3_000, open.capacity());
        assertThat(open.takeEvicted()).isZero();
    }

    @Test
    void shouldGrowNoFurtherThanItsCapacity() {
        OpenIntervals open = new OpenIntervals(1_024);
        for (int key = 0; key < 5_000; key++) {
            open.open(key, 0, key, 1);
        }
        assertThat(open.places()).isEqualTo(1_024);
        assertThat(open.takeEvicted()).isEqualTo(5_000 - open.size());
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void shouldKeepAllOfEachWhenGrowing(long seed) {
        Random random = new Random(seed);
        OpenIntervals open = new OpenIntervals(16_384);
        Map<Long, Long> expected = new HashMap<>();
        for (long step = 0; step < 20_000; step++) {
            long key = random.nextInt(4_000);
            int place = open.find(key, 7);
            if (place != OpenIntervals.NONE && random.nextInt(4) == 0) {
                open.close(place);
                expected.remove(key);
            } else {
                int opened = open.open(key, 7, step, 1 + (int) (key % 100));
                open.step(opened, step + 1, open.stage(opened));
                open.note(opened, -key);
                expected.put(key, step);
            }
        }
        assertThat(open.places()).isGreaterThan(1_024);
        assertThat(open.takeEvicted()).isZero();
        Map<Long, Long> found = new HashMap<>();
        for (int place = open.next(0); place != OpenIntervals.NONE; place = open.next(place + 1)) {
            long key = -open.note(place);
            assertThat(found.put(key, open.begin(place))).isNull();
            assertThat(open.find(key, 7)).isEqualTo(place);
            assertThat(open.last(place)).isEqualTo(open.begin(place) + 1);
            assertThat(open.stage(place)).isEqualTo(1 + (int) (key % 100));
        }
        assertThat(found).as("seed %s", seed).isEqualTo(expected);
    }
}
