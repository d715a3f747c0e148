// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** Numbers of jobs, from 1, as small as possible. A job keeps its number while it has a cgroup. For one thread. */
final class Jobs {
    private final JobListener listener;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final BitSet taken = new BitSet();
    private String[] names = new String[16];
    /** Cgroups that are remembered, and those of them that have not been removed. */
    private int[] cgroups = new int[16];

    private int[] present = new int[16];

    Jobs(JobListener listener) {
        this.listener = listener;
        taken.set(0);
        Arrays.fill(names, "");
    }

    /** The number of a job, which has one cgroup more. */
    int enter(String name) {
        Integer known = numbers.get(name);
        int job = known == null ? begin(name) : known;
        cgroups[job]++;
        present[job]++;
        return job;
    }

    private int begin(String name) {
        int job = taken.nextClearBit(1);
        if (job == names.length) {
            names = Arrays.copyOf(names, 2 * job);
            Arrays.fill(names, job, 2 * job, "");
            cgroups = Arrays.copyOf(cgroups, 2 * job);
            present = Arrays.copyOf(present, 2 * job);
        }
        taken.set(job);
        names[job] = name;
        numbers.put(name, job);
        listener.onJob(job, name);
        return job;
    }

    /** One of its cgroups is removed. */
    void remove(int job) {
        present[job]--;
    }

    /** One of its removed cgroups is forgotten. */
    void forget(int job) {
        if (--cgroups[job] == 0) {
            listener.onEnd(job);
            numbers.remove(names[job]);
            names[job] = "";
            taken.clear(job);
        }
    }

    String name(int job) {
        return job > 0 && job < names.length ? names[job] : "";
    }

    boolean isPresent(int job) {
        return job > 0 && job < names.length && present[job] > 0;
    }

    int number(String name) {
        return numbers.getOrDefault(name, 0);
    }

    int end() {
        return taken.length();
    }
}
