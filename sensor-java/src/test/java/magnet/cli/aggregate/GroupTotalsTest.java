// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GroupTotalsTest {
    private static final long SEED = 20_261_126;

    @Test
    void shouldCountAsAMapDoes() {
        GroupTotals totals = new GroupTotals(2, false);
        Map<List<Long>, Long> expected = new HashMap<>();
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            long[] key = {random.nextInt(97) - 3, (long) random.nextInt(61) << 40};
            totals.add(key, 0);
            expected.merge(List.of(key[0], key[1]), 1L, Long::sum);
        }
        Map<List<Long>, Long> counted = new HashMap<>();
        for (int group : totals.ranked()) {
            counted.put(List.of(totals.key(group, 0), totals.key(group, 1)), totals.count(group));
        }
        assertThat(counted).as("seed %d", SEED).isEqualTo(expected);
        assertThat(totals.events()).isEqualTo(200_000);
        assertThat(totals.others()).isZero();
    }

    @Test
    void shouldRankByCountAndThenByKey() {
        GroupTotals totals = new GroupTotals(1, false);
        for (long key : new long[] {7, 9, 7, -5, 3, 9, 7}) {
            totals.add(new long[] {key}, 0);
        }
        assertThat(totals.ranked().stream().map(group -> totals.key(group, 0))).containsExactly(7L, 9L, -5L, 3L);
    }

    @Test
    void shouldKeepBucketsAndExtremesOfEachGroup() {
        GroupTotals totals = new GroupTotals(1, true);
        for (long group = 0; group < 100; group++) {
            totals.add(new long[] {group}, group);
            totals.add(new long[] {group}, -group);
            totals.add(new long[] {group}, 4_096);
        }
        for (int group : totals.ranked()) {
            long number = totals.key(group, 0);
            assertThat(totals.count(group)).isEqualTo(3);
            assertThat(totals.least(group)).isEqualTo(-number);
            assertThat(totals.most(group)).isEqualTo(4_096);
            assertThat(totals.inBucket(group, PowerBuckets.of(4_096))).isEqualTo(1);
            assertThat(totals.inBucket(group, PowerBuckets.of(number))).isEqualTo(number == 0 ? 2 : 1);
            assertThat(totals.inBucket(group, 0)).isEqualTo(number == 0 ? 0 : 1);
            assertThat(totals.firstBucket(group)).isEqualTo(number == 0 ? PowerBuckets.of(0) : 0);
            assertThat(totals.lastBucket(group)).isEqualTo(PowerBuckets.of(4_096));
        }
    }

    @Test
    void shouldCountGroupsWithoutRoomTogether() {
        GroupTotals totals = new GroupTotals(1, true);
        for (long key = 0; key < GroupTotals.BUCKETED_MOST + 3; key++) {
            assertThat(totals.add(new long[] {key}, key)).isEqualTo(key < GroupTotals.BUCKETED_MOST);
        }
        assertThat(totals.ranked()).hasSize(GroupTotals.BUCKETED_MOST);
        assertThat(totals.events()).isEqualTo(GroupTotals.BUCKETED_MOST + 3);
        assertThat(totals.others()).isEqualTo(3);
    }

    @Test
    void shouldBeginAnew() {
        GroupTotals totals = new GroupTotals(1, true);
        totals.add(new long[] {1}, 1);
        totals.add(new long[] {2}, 1_000);
        totals.clear();
        assertThat(totals.ranked()).isEmpty();
        assertThat(totals.events()).isZero();
        totals.add(new long[] {2}, 3);
        assertThat(totals.ranked()).hasSize(1);
        assertThat(totals.count(0)).isEqualTo(1);
        assertThat(totals.least(0)).isEqualTo(3);
        assertThat(totals.inBucket(0, PowerBuckets.of(1_000))).isZero();
    }
}
