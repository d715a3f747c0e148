// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Against figures that stand in tables of CIELAB, and what is known of eyes that do not tell red from green. */
class ColourDistanceTest {
    @Test
    void shouldBeAsCielabHasIt() {
        assertThat(ColourDistance.NORMAL.between("ffffff", "ffffff")).isZero();
        // White's lightness is 100, black's 0; red is 53.24, 80.09, 67.20, and green 87.73, -86.18, 83.18.
        assertThat(ColourDistance.NORMAL.between("ffffff", "000000")).isCloseTo(100, within(0.1));
        assertThat(ColourDistance.NORMAL.between("ff0000", "00ff00")).isCloseTo(170.6, within(0.5));
    }

    @Test
    void shouldBringRedAndGreenTogetherWhenOneKindOfConeIsMissing() {
        double normal = ColourDistance.NORMAL.between("d73027", "4d9221");
        assertThat(ColourDistance.DEUTERANOPIA.between("d73027", "4d9221")).isLessThan(normal / 5);
        assertThat(ColourDistance.PROTANOPIA.between("ffffff", "000000")).isCloseTo(100, within(0.5));
    }
}
