// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.control.ClockSource;
import magnet.control.ModuleInfo;
import magnet.record.RecordLayout;
import org.junit.jupiter.api.Test;

final class InstantTimerTest {
    private static final long SECOND = 1_000_000_000;
    private static final long T = 1_795_000_000L * SECOND;

    private static ModuleInfo at(long realtimeNs, long timer, int epoch) {
        return new ModuleInfo(
                1,
                "1",
                RecordLayout.WIDE,
                ClockSource.TSC,
                2_000_000,
                timer,
                realtimeNs,
                0,
                epoch,
                false,
                false,
                false,
                false);
    }

    @Test
    void shouldLieOnTheLineBetweenTwoMoments() {
        // The wall clock runs 200 ppm faster than the nominal frequency says.
        ModuleInfo earlier = at(T, 1_000, 0);
        ModuleInfo later = at(T + SECOND, 1_000 + 1_999_600_000L, 0);

        assertThat(InstantTimer.at(T + SECOND / 2, earlier, later)).isEqualTo(1_000 + 999_800_000L);
        assertThat(InstantTimer.at(T, earlier, later)).isEqualTo(1_000);
        assertThat(InstantTimer.at(T + 2 * SECOND, earlier, later)).isEqualTo(1_000 + 2 * 1_999_600_000L);
    }

    @Test
    void shouldTakeTheNominalFrequencyWhereTwoMomentsTellNoRate() {
        ModuleInfo moment = at(T, 5_000_000_000L, 0);

        assertThat(InstantTimer.at(T - SECOND, moment, moment)).isEqualTo(3_000_000_000L);
        assertThat(InstantTimer.at(T - SECOND, at(T - SECOND, 77, 0), at(T, 5_000_000_000L, 1)))
                .isEqualTo(3_000_000_000L);
    }

    @Test
    void shouldWorkWhereTheTimerIsBeyondHalfOfItsRange() {
        long last = Long.MAX_VALUE - Integer.parseInt("10");
        ModuleInfo earlier = at(T, last, 0);
        ModuleInfo later = at(T + SECOND, last + 2_000_000_000L, 0);

        assertThat(InstantTimer.at(T + SECOND / 2, earlier, later)).isEqualTo(last + 1_000_000_000L);
    }
}
