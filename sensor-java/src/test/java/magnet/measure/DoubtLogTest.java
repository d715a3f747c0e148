// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.measure.PointControl.Doubts;
import magnet.publish.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DoubtLogTest {
    private final LogLines log = new LogLines(DoubtLog.class);
    private final DoubtLog doubts = new DoubtLog();

    @AfterEach
    void tearDown() {
        log.close();
    }

    @Test
    void shouldSayOnceForEachIntervalThatTheTimerJumped() {
        doubts.jumps(0);
        assertThat(log.lines()).isEmpty();
        doubts.jumps(2);
        doubts.jumps(2);
        assertThat(log.lines())
                .containsExactly(
                        "WARN the timer of the events jumped, as after a suspend: times that had begun before are"
                                + " thrown away; until magnet_sensor_lossy_intervals is 0 other values are too low");
        doubts.jumps(3);
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void shouldSayOnceThatOwnersHaveNoRoom() {
        doubts.ownersWithoutRoom(0);
        assertThat(log.lines()).isEmpty();
        doubts.ownersWithoutRoom(3);
        doubts.ownersWithoutRoom(4);
        assertThat(log.lines())
                .containsExactly(
                        "WARN there are more than 131072 processes or 16384 cgroups: what the others do counts as"
                                + " unknown in the figures of jobs (said once)");
    }

    @Test
    void shouldSayWhenPointsAreBlindAndWhenTheySeeAgain() {
        doubts.interval(new Doubts(false, 3));
        doubts.interval(new Doubts(false, 4));
        doubts.interval(Doubts.NONE);
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(0)).startsWith("WARN ").contains("3 points see nothing");
        assertThat(log.lines().get(1)).isEqualTo("INFO all points see again");
    }
}
