// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class SpreadTest {
    @Test
    void shouldBeTheValueOfOne() {
        assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
    }

    @Test
    void shouldFindTheMiddleWhateverTheOrder() {
        assertThat(Spread.of(5, 1, 4, 2, 3)).isEqualTo(new Spread(2, 3, 4));
    }

    @Test
    void shouldInterpolateBetweenTwo() {
        assertThat(Spread.of(40, 10, 30, 20)).isEqualTo(new Spread(17.5, 25, 32.5));
    }

    @Test
    void shouldNotBeMovedByOutliers() {
        double[] values = new Random(1).doubles(1_001, 99, 101).toArray();
        for (int i = 0; i < 100; i++) {
            values[10 * i] = 1e9;
        }
        Spread spread = Spread.of(values);
        assertThat(spread.median()).isBetween(99.0, 101.0);
        assertThat(spread.lower()).isBetween(99.0, spread.median());
        assertThat(spread.upper()).isBetween(spread.median(), 101.0);
    }

    @Test
    void shouldLeaveTheValuesAsTheyAre() {
        double[] values = {3, 1, 2};
        Spread.of(values);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void shouldRefuseNothing() {
        assertThatIllegalArgumentException().isThrownBy(Spread::of);
    }
}
