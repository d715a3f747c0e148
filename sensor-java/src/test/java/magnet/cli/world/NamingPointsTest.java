// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import magnet.control.HitCounts;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.ThreadNames;
import org.junit.jupiter.api.Test;

final class NamingPointsTest {
    private final ThreadNames names = ThreadNames.ofRunning(thread -> "now");
    private final List<Integer> gaps = new ArrayList<>();

    @Test
    void shouldTellNamesAndWhoeverAskedOfGaps() {
        RecordHandler handler = NamingPoints.beside(List.of(), List.of()).before(names, new RecordHandler() {
            @Override
            public void onRecord(RecordFlyweight record) {
                // Only gaps are looked at.
            }

            @Override
            public void onGap(int cpu) {
                gaps.add(cpu);
            }
        });
        RecordWriter exec = new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, 7, 7, 7, 1)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "told");
        handler.onRecord(new RecordFlyweight(RecordLayout.WIDE).wrap(exec.buffer(), 0));
        assertThat(names.of(7)).isEqualTo("told");

        handler.onGap(3);
        assertThat(names.of(7)).isEqualTo("now");
        assertThat(gaps).containsExactly(3);
    }

    @Test
    void shouldSayNothingWhereNothingWasLost() {
        assertThat(NamingPoints.lost(HitCounts.NONE)).isEmpty();
    }
}
