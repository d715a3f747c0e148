// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.VisibleText;
import magnet.job.Owners;
import magnet.trace.ThreadNames;

/**
 * The threads of a node, each with a number that slices have. A thread id that is used again is another thread. For one thread
 * while it is built; once it is not changed any more, for any.
 */
public final class ThreadTable {
    /** Threads that have numbers of their own. */
    static final int MOST = 1 << 20;

    /**
     * One of them.
     *
     * @param tid its id
     * @param process the id of its process
     * @param name as it was called last; empty if nobody knows
     * @param job that it belonged to last; empty if to none, or if the trace does not say
     */
    public record Entry(int tid, int process, String name, String job) {}

    /** One that may change. */
    private static final class Growing {
        private final int tid;
        private int process;
        private String name = "";
        private String job = "";
        private long asked = -1;

        Growing(int tid, int process) {
            this.tid = tid;
            this.process = process;
        }
    }

    private final List<Growing> all = new ArrayList<>();
    private final Map<Integer, Integer> numbers = new HashMap<>();

    /** The number of a thread, which has one from now on. */
    int number(int tid, int process) {
        Integer known = numbers.get(tid);
        if (known == null) {
            if (all.size() == MOST) {
                return Subject.LAST;
            }
            known = Subject.FIRST + all.size();
            all.add(new Growing(tid, process));
            numbers.put(tid, known);
        } else if (process != 0) {
            all.get(known - Subject.FIRST).process = process;
        }
        return known;
    }

    /** Another thread has the id from now on. */
    void begins(int tid) {
        numbers.remove(tid);
    }

    /** Looks what a thread is called and whose it is, as of the record that these have seen last. */
    void look(int number, ThreadNames names, Owners owners) {
        if (number < Subject.FIRST || number - Subject.FIRST >= all.size()) {
            return;
        }
        Growing thread = all.get(number - Subject.FIRST);
        if (thread.asked != names.changes()) {
            thread.asked = names.changes();
            String name = names.of(thread.tid);
            if (name.isEmpty()) {
                name = thread.name.isEmpty() ? names.of(thread.process) : thread.name;
            }
            thread.name = VisibleText.of(name);
        }
        int job = owners.job(thread.process);
        if (job != 0) {
            thread.job = owners.name(job);
        }
    }

    /** How many there are; their numbers begin with {@link Subject#FIRST}. */
    public int size() {
        return all.size();
    }

    /** A thread by its number. */
    public Entry of(int number) {
        if (number < Subject.FIRST || number - Subject.FIRST >= all.size()) {
            return new Entry(0, 0, number == Subject.IDLE ? "idle" : "", "");
        }
        Growing thread = all.get(number - Subject.FIRST);
        return new Entry(thread.tid, thread.process, thread.name, thread.job);
    }
}
