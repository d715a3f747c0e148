// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.metric.TopOrder;
import magnet.summary.ProcessRanking.Row;

/**
 * Keeps rows in their places from window to window: a process passes the one above it only when it has clearly more, so that
 * who reads the screen finds it again. For one thread.
 */
final class TopRows {
    /** So many times as much is clearly more. */
    private static final double CLEARLY = 1.25;

    /** Below this, in the unit of the order, all are alike. */
    private static final double ALIKE = 0.5;

    private TopOrder order = TopOrder.CPU;
    private Map<Integer, Integer> places = Map.of();

    /** The rows of a window, which come ranked, where they are to stand. */
    List<Row> arranged(List<Row> ranked, TopOrder by) {
        List<Row> rows = new ArrayList<>();
        if (by != order) {
            places = Map.of();
            order = by;
        }
        List<Row> known = new ArrayList<>();
        for (Row row : ranked) {
            if (places.containsKey(row.process())) {
                known.add(row);
            }
        }
        known.sort((one, other) -> Integer.compare(place(one), place(other)));
        for (Row row : known) {
            insert(rows, row, CLEARLY, ALIKE);
        }
        for (Row row : ranked) {
            if (!places.containsKey(row.process())) {
                insert(rows, row, 1, 0);
            }
        }
        Map<Integer, Integer> now = new HashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            now.put(rows.get(i).process(), i);
        }
        places = now;
        return rows;
    }

    private int place(Row row) {
        return places.getOrDefault(row.process(), Integer.MAX_VALUE);
    }

    /** Behind the last one that it has not clearly more than. */
    private void insert(List<Row> rows, Row row, double factor, double margin) {
        int at = rows.size();
        while (at > 0 && value(row) > value(rows.get(at - 1)) * factor + margin) {
            at--;
        }
        rows.add(at, row);
    }

    private double value(Row row) {
        return switch (order) {
            case CPU -> row.cpuPercent();
            case WAIT -> row.waitPercent();
            case SWITCHES -> row.switchesPerSecond();
        };
    }
}
