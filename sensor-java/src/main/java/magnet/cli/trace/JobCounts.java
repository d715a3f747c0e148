// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.JobText;
import magnet.job.Owners;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/**
 * Events and CPU time of each job. A process that moves to another job while it runs is split there. There is room for
 * {@value #JOBS_MAX} jobs; what further ones do counts as one. It wants each record before the owners have it, and events once
 * they do. Allocates only for a new job. Not thread-safe.
 */
final class JobCounts implements RecordHandler {
    /**
     * What one job did.
     *
     * @param job its name, or a word in place of one
     * @param events in its threads
     * @param ticks that they ran
     * @param slices how often one of them was put on a CPU
     */
    record Row(String job, long events, long ticks, long slices) {}

    static final int JOBS_MAX = 1 << 14;
    /** In place of the jobs that there was no room for. */
    static final String OTHERS = "others";

    private static final class Sums {
        private long events;
        private long ticks;
        private long slices;
    }

    private final Owners owners;
    private final Map<String, Sums> jobs = new HashMap<>();
    private int[] running = new int[8];
    private long[] since = new long[8];
    private boolean[] runs = new boolean[8];

    /** @param owners of processes, as of the record that is handed over next */
    JobCounts(Owners owners) {
        this.owners = owners;
    }

    /** Where a process is moved while it runs, what it has run so far is that of the job before. */
    @Override
    public void onRecord(RecordFlyweight record) {
        if (record.event() != EventType.TASK_ATTACH.id()) {
            return;
        }
        int process = (int) record.abstractId();
        for (int cpu = 0; cpu < runs.length; cpu++) {
            if (runs[cpu] && running[cpu] == process) {
                sums(process).ticks += Math.max(0, record.timer() - since[cpu]);
                since[cpu] = record.timer();
            }
        }
    }

    /** An event of a process. */
    void addEvent(int process) {
        sums(process).events++;
    }

    /** A thread got the CPU, and the one before has had it. */
    void onSwitch(RecordFlyweight record) {
        int cpu = record.cpu();
        if (cpu >= runs.length) {
            int length = Math.max(cpu + 1, 2 * runs.length);
            running = Arrays.copyOf(running, length);
            since = Arrays.copyOf(since, length);
            runs = Arrays.copyOf(runs, length);
        }
        if (runs[cpu]) {
            Sums before = sums(record.tgid());
            before.ticks += Math.max(0, record.timer() - since[cpu]);
            before.slices++;
        }
        runs[cpu] = true;
        since[cpu] = record.timer();
        running[cpu] = (int) record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET);
    }

    /** Who has a CPU is not known any more. */
    void lose(int cpu) {
        if (cpu < runs.length) {
            runs[cpu] = false;
        }
    }

    /** Nor is it of any. */
    @Override
    public void onNewEpoch(int cpus) {
        Arrays.fill(runs, false);
    }

    /** Those that did most, by events. */
    List<Row> top(int most) {
        return jobs.entrySet().stream()
                .map(each ->
                        new Row(each.getKey(), each.getValue().events, each.getValue().ticks, each.getValue().slices))
                .sorted(Comparator.comparingLong(Row::events).reversed().thenComparing(Row::job))
                .limit(most)
                .toList();
    }

    int size() {
        return jobs.size();
    }

    private Sums sums(int process) {
        String job = JobText.of(owners, process);
        Sums known = jobs.get(job);
        if (known != null) {
            return known;
        }
        String name = jobs.size() < JOBS_MAX ? job : OTHERS;
        return jobs.computeIfAbsent(name, key -> new Sums());
    }
}
