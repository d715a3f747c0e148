// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacerTest {

    @Test
    void shouldPauseWhenABurstIsOver() {
        List<Integer> pausedAfter = new ArrayList<>();
        int[] packets = {0};
        Pacer pacer = new Pacer(millis -> {
            assertThat(millis).isEqualTo(Pacer.PAUSE_MILLIS);
            pausedAfter.add(packets[0]);
        });
        for (; packets[0] < 175; packets[0]++) {
            pacer.beforePacket();
        }
        assertThat(pausedAfter).containsExactly(50, 100, 150);
    }

    @Test
    void shouldKeepTheInterruptWhenItComesInAPause() {
        Pacer pacer = new Pacer(millis -> {
            throw new InterruptedException();
        });
        for (int i = 0; i <= Pacer.BURST; i++) {
            pacer.beforePacket();
        }
        assertThat(Thread.interrupted()).isTrue();
    }
}
