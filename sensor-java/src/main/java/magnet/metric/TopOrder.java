// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import magnet.record.EventType;

/**
 * What processes are ranked by. Each order has {@value #PLACES} places, however many processes there are, so that the
 * number of Ganglia's metrics stays the same: a number, and the name of the process that it belongs to. Immutable.
 */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum TopOrder {
    CPU(0, "%", "CPU time", "CPU time as a share of one CPU", SCHED_SWITCH),
    WAIT(
            1,
            "%",
            "run queue wait",
            "Time that its threads waited for a CPU, all together, as a share of the time",
            SCHED_SWITCH,
            SCHED_WAKEUP),
    SWITCHES(2, "switches/sec", "context switches", "Times per second that its threads left a CPU", SCHED_SWITCH);

    /** Places of each order. */
    public static final int PLACES = 3;

    private final int column;
    private final List<Metric> numbers;
    private final List<Metric> names;
    private final Ranking ranking;

    TopOrder(int column, String unit, String title, String what, EventType... events) {
        this.column = column;
        MetricMaker make =
                MetricMaker.of(MetricGroup.SCHEDULER, events).at(Level.FULL).joinedByThread();
        String stem = "magnet_top_" + name().toLowerCase(Locale.ROOT) + "_";
        List<Metric> places = new ArrayList<>();
        List<Metric> processes = new ArrayList<>();
        for (int place = 1; place <= PLACES; place++) {
            String suffix = ", process " + place + " by " + title;
            places.add(make.number(
                    stem + place + "_value",
                    unit,
                    "Top " + title + " " + place,
                    what + suffix,
                    MetricMaker.TIME_DECIMALS));
            processes.add(make.text(
                    stem + place + "_process",
                    "Top " + title + " " + place + " process",
                    "Name and process id" + suffix));
        }
        this.numbers = List.copyOf(places);
        this.names = List.copyOf(processes);
        this.ranking = new Ranking(
                "magnet_top_" + name().toLowerCase(Locale.ROOT) + (unit.equals("%") ? "" : "_rate"),
                unit,
                what + ", the first processes by " + title,
                "process",
                numbers,
                names);
    }

    /** Where it stands among the others, from 0 on without a gap. */
    public int column() {
        return column;
    }

    /** The number of each place, the first one first. */
    public List<Metric> numbers() {
        return numbers;
    }

    /** The process of each place. */
    public List<Metric> names() {
        return names;
    }

    /** Its places as what they are together. */
    public Ranking ranking() {
        return ranking;
    }

    /** All of all orders. */
    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (TopOrder order : TopOrder.values()) {
            for (int place = 0; place < PLACES; place++) {
                all.add(order.numbers.get(place));
                all.add(order.names.get(place));
            }
        }
        return all;
    }
}
