// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.TopOrder;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * The processes that ran, waited and switched most. For one thread.
 *
 * <p>CPU time is cut where a window ends, so that a thread that never leaves its CPU shows. A wait counts when it ends,
 * for the process of the thread that waited. Idle is no process.
 */
final class TopProcesses extends BuiltInHandler {
    private static final long IDLE = 0;
    private static final int WAITING_CAPACITY = 8_192;
    private static final int WAITING = 1;

    private final Quality quality;
    private final TimerScale scale;
    private final Machine machine;
    private final PerCpu running;
    private final ProcessRanking ranking;
    private final OpenIntervals waiting = new OpenIntervals(WAITING_CAPACITY);
    private final ProcessTable table;
    /** Names of the processes that had a place in the last snapshot: they may be gone now. Only of who builds snapshots. */
    private final Map<Integer, String> names = new HashMap<>();

    TopProcesses(SummarySetup setup, Quality quality) {
        this.quality = quality;
        this.scale = setup.scale();
        this.machine = setup.machine();
        this.ranking = setup.ranking();
        this.running = new PerCpu(setup.cpus());
        this.table = new ProcessTable(setup.slots());
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(SCHED_SWITCH, SCHED_WAKEUP, SCHED_PROCESS_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == SCHED_SWITCH) {
            onSwitch(record);
        } else if (type == SCHED_WAKEUP) {
            long tid = record.abstractId();
            if (tid != IDLE && waiting.find(tid, 0) == OpenIntervals.NONE) {
                waiting.open(tid, 0, record.timer(), WAITING);
            }
        } else {
            forget(record.tid());
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private void onSwitch(RecordFlyweight record) {
        int cpu = record.cpu();
        long timer = record.timer();
        long leaving = record.tid();
        long entering = record.abstractId();
        if (leaving != IDLE) {
            int process = record.tgid();
            int row = table.place(process);
            table.addAt(row, TopOrder.SWITCHES, 1);
            if (running.isOpen(cpu) && running.key(cpu) == process) {
                table.addAt(row, TopOrder.CPU, Math.max(0, timer - running.begin(cpu)));
            }
            if (SchedulerSummary.couldRunOn(record)) {
                waiting.open(leaving, 0, timer, WAITING);
            } else {
                forget(leaving);
            }
        }
        if (entering == IDLE) {
            running.close(cpu);
            return;
        }
        int process = (int) record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET);
        running.begin(cpu, process, timer);
        int place = waiting.find(entering, 0);
        if (place != OpenIntervals.NONE) {
            table.add(TopOrder.WAIT, process, Math.max(0, timer - waiting.begin(place)));
            waiting.close(place);
        }
    }

    private void forget(long tid) {
        int place = waiting.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            waiting.close(place);
        }
    }

    @Override
    void onLost(int cpu) {
        // The scheduler's summary has the same waits open, and counts them.
        waiting.closeAll();
        running.close(cpu);
    }

    /** What began before the slot was cut where that ended: of an older begin the timer is false. */
    @Override
    void endSlot(long began, long newestTimer) {
        for (int cpu = 0; cpu < running.length(); cpu++) {
            if (running.isOpen(cpu) && newestTimer > running.begin(cpu)) {
                int process = (int) running.key(cpu);
                table.add(TopOrder.CPU, process, newestTimer - Math.max(began, running.begin(cpu)));
                running.begin(cpu, process, newestTimer);
            }
        }
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(table.takeEvicted());
        Map<Integer, String> shown = new HashMap<>();
        for (TopOrder order : TopOrder.values()) {
            int[] processes = table.top(order, TopOrder.PLACES);
            for (int place = 0; place < processes.length; place++) {
                int process = processes[place];
                snapshot.put(
                        order.numbers().get(place), perSecond(order, table.sum(order, process), snapshot.seconds()));
                Metric metric = order.names().get(place);
                snapshot.later(with -> {
                    String name = shown.computeIfAbsent(process, this::name);
                    with.putText(metric, name.isEmpty() ? "" + process : name + " " + process);
                });
            }
        }
        List<ProcessRanking.Row> ranked = rank(snapshot.seconds());
        snapshot.later(with -> {
            ranking.take(ranked.stream()
                    .map(row -> row.named(shown.computeIfAbsent(row.process(), this::name)))
                    .toList());
            names.clear();
            names.putAll(shown);
        });
    }

    private List<ProcessRanking.Row> rank(double seconds) {
        List<ProcessRanking.Row> rows = new ArrayList<>();
        if (ranking.most() == 0) {
            return rows;
        }
        for (int process : table.top(ranking.order(), ranking.most())) {
            rows.add(new ProcessRanking.Row(
                    process,
                    "",
                    perSecond(TopOrder.CPU, table.sum(TopOrder.CPU, process), seconds),
                    perSecond(TopOrder.WAIT, table.sum(TopOrder.WAIT, process), seconds),
                    perSecond(TopOrder.SWITCHES, table.sum(TopOrder.SWITCHES, process), seconds)));
        }
        return rows;
    }

    /** Its name now or when it had one; empty if it never had. */
    private String name(int process) {
        String now = machine.processName(process);
        return now.isEmpty() ? names.getOrDefault(process, "") : now;
    }

    private double perSecond(TopOrder order, long sum, double seconds) {
        if (order == TopOrder.SWITCHES) {
            return sum / seconds;
        }
        double percent = 100 * scale.toSeconds(sum) / seconds;
        // A timer that jumped, which nobody has said yet, must not show as more than there is.
        return order == TopOrder.CPU ? Math.min(percent, 100.0 * running.cpus()) : percent;
    }

    @Override
    public void advance() {
        table.advance();
    }
}
