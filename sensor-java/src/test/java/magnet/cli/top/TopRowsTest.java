// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import magnet.metric.TopOrder;
import magnet.summary.ProcessRanking.Row;
import org.junit.jupiter.api.Test;

final class TopRowsTest {
    private final TopRows rows = new TopRows();

    /** Processes and their CPU time, ranked as they come. */
    private List<Integer> arranged(double... processesAndCpu) {
        List<Row> ranked = new ArrayList<>();
        for (int i = 0; i < processesAndCpu.length; i += 2) {
            ranked.add(new Row((int) processesAndCpu[i], "x", processesAndCpu[i + 1], 0, 100 - processesAndCpu[i + 1]));
        }
        ranked.sort(Comparator.comparingDouble(Row::cpuPercent).reversed());
        return rows.arranged(ranked, TopOrder.CPU).stream().map(Row::process).toList();
    }

    @Test
    void shouldBeginAsTheyAreRanked() {
        assertThat(arranged(1, 10, 2, 30, 3, 20)).containsExactly(2, 3, 1);
    }

    @Test
    void shouldKeepPlacesWhileValuesAreClose() {
        arranged(1, 30, 2, 29, 3, 0.2, 4, 0.1);

        assertThat(arranged(1, 29, 2, 31, 3, 0.1, 4, 0.4)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void shouldMoveWhatHasClearlyMore() {
        arranged(1, 30, 2, 20, 3, 10);

        assertThat(arranged(1, 30, 2, 20, 3, 90)).containsExactly(3, 1, 2);
        assertThat(arranged(1, 30, 2, 80, 3, 90)).containsExactly(3, 2, 1);
    }

    @Test
    void shouldPutNewOnesWhereTheyBelongAndForgetThoseThatAreGone() {
        arranged(1, 30, 2, 20);

        assertThat(arranged(1, 30, 3, 25, 4, 5)).containsExactly(1, 3, 4);
        assertThat(arranged(2, 26, 3, 25)).containsExactly(2, 3);
    }

    @Test
    void shouldBeginAnewInAnotherOrder() {
        arranged(1, 30, 2, 29);
        List<Row> ranked = List.of(new Row(2, "x", 29, 0, 31), new Row(1, "x", 30, 0, 30));

        assertThat(rows.arranged(ranked, TopOrder.SWITCHES)).containsExactlyElementsOf(ranked);
    }
}
