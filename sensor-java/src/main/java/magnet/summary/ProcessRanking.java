// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.List;
import magnet.metric.TopOrder;

/**
 * The first processes of the window that was closed last, for somebody who shows more of them than {@link TopOrder} has
 * places for. They are of the same table as its metrics, and there while one of these is computed. For one thread.
 */
public final class ProcessRanking {
    /**
     * What one process did in the window.
     *
     * @param process its id
     * @param name its name, as somebody else chose it, with any character; empty if it was gone when it was asked for
     * @param cpuPercent time that its threads ran, in percent of one CPU
     * @param waitPercent time that its threads waited for a CPU, all together, in percent
     * @param switchesPerSecond how often its threads left a CPU
     */
    public record Row(int process, String name, double cpuPercent, double waitPercent, double switchesPerSecond) {
        Row named(String found) {
            return new Row(process, found, cpuPercent, waitPercent, switchesPerSecond);
        }
    }

    private TopOrder order;
    private final int most;
    private List<Row> rows = List.of();

    /**
     * @param order what they are ranked by
     * @param most how many there are at most; 0 for none
     */
    public ProcessRanking(TopOrder order, int most) {
        this.order = order;
        this.most = most;
    }

    /** Of nobody. */
    public static ProcessRanking none() {
        return new ProcessRanking(TopOrder.CPU, 0);
    }

    /** Ranks by another order, from the next window on. */
    public void rankBy(TopOrder other) {
        order = other;
    }

    /** What they are ranked by. */
    public TopOrder order() {
        return order;
    }

    int most() {
        return most;
    }

    void take(List<Row> others) {
        rows = List.copyOf(others);
    }

    /** The first one first. */
    public List<Row> rows() {
        return rows;
    }
}
