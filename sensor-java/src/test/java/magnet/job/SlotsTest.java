// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final int MOST = 5000;

    @Test
    void shouldFindWhatAMapFindsWhenKeysComeAndGo() {
        long seed = 20261127;
        Random random = new Random(seed);
        Slots slots = new Slots(MOST, columns -> {});
        Map<Long, Integer> map = new HashMap<>();
        List<Long> keys = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            if (keys.size() < MOST && random.nextInt(100) < 55) {
                long key = random.nextInt(20_000) * (random.nextBoolean() ? 1L : 1L << 32);
                if (!map.containsKey(key)) {
                    map.put(key, slots.add(key));
                    keys.add(key);
                }
            } else if (!keys.isEmpty()) {
                int at = random.nextInt(keys.size());
                long key = keys.set(at, keys.get(keys.size() - 1));
                keys.remove(keys.size() - 1);
                slots.remove(map.remove(key));
                assertThat(slots.find(key)).as("seed " + seed).isEqualTo(Slots.NONE);
            }
        }
        assertThat(slots.size()).isEqualTo(map.size()).isPositive();
        map.forEach(
                (key, slot) -> assertThat(slots.find(key)).as("seed " + seed).isEqualTo(slot));
        assertThat(map.values()).doesNotHaveDuplicates().allMatch(slot -> slot >= 0 && slot < MOST);
    }

    @Test
    void shouldHaveNoSlotWhenThereIsNoRoom() {
        Slots slots = new Slots(2, columns -> {});

        assertThat(slots.add(7)).isZero();
        assertThat(slots.add(8)).isEqualTo(1);
        assertThat(slots.add(9)).isEqualTo(Slots.NONE);
        slots.remove(0);
        assertThat(slots.add(9)).isZero();
        assertThat(slots.find(7)).isEqualTo(Slots.NONE);
    }
}
