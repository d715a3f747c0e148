// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusyStretchesTest {
    private final BusyStretches stretches = new BusyStretches(100);

    @Test
    void shouldMeasureFromTheLookBeforeWhenAStretchIsOver() {
        look(0, 0, 10, 1, 20, 2, 40, 2, 60, 3, 120, 3);
        assertThat(stretches.busy()).isTrue();
        assertThat(stretches.count()).isZero();

        look(160, 3, 300, 3);
        assertThat(stretches.busy()).isFalse();
        assertThat(stretches.count()).isEqualTo(1);
        assertThat(stretches.busyNanos()).isEqualTo(60);
    }

    @Test
    void shouldTellThemApartWhenThereAreMore() {
        look(0, 0, 10, 1, 110, 1, 500, 1, 510, 4, 530, 5, 630, 5);
        assertThat(stretches.count()).isEqualTo(2);
        assertThat(stretches.busyNanos()).isEqualTo(10 + 30);
        assertThat(stretches.longestNanos()).isEqualTo(30);
    }

    @Test
    void shouldHaveNoneWhenNothingIsSpent() {
        look(0, 0, 500, 0, 1_000, 0);
        assertThat(stretches.count()).isZero();
        assertThat(stretches.busyNanos()).isZero();
    }

    /** Pairs of a time and what was spent until then. */
    private void look(int... pairs) {
        for (int i = 0; i < pairs.length; i += 2) {
            stretches.look(pairs[i], pairs[i + 1]);
        }
    }
}
