// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Subject;
import magnet.cluster.view.index.ThreadTable;

/**
 * Which colour each thread has: that of its job, or of its name where no thread has a job. Colours are numbers from 1 on; the page
 * and the pictures have the same palette. People who see colours in another way tell these apart: they are of Okabe and Ito and of
 * Tol, without red, which is kept for threads that wait although they have a packet. Immutable.
 */
final class Colours {
    /** By number; the first one stands for nothing, the second one for threads of no job. */
    static final List<String> PALETTE = List.of(
            "#ffffff", "#8c959f", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#999933", "#332288",
            "#44aa99", "#b8860b", "#882255");

    /** Handlers of hard interrupts. */
    static final String HARD = "#24292f";
    /** Handlers of soft interrupts. */
    static final String SOFT = "#7a5195";
    /** Threads that wait although they have a packet. */
    static final String LATE = "#d4001a";
    /** What is behind a line in the hatching of lost time. */
    static final String LOST = "#b0b7be";

    private static final int OTHERS = 1;
    private static final int FIRST = 2;

    /** By node: of each thread. */
    private final List<byte[]> numbers = new ArrayList<>();
    /** By name of what has it, in order. */
    private final Map<String, Integer> legend;

    private final boolean byJob;

    private Colours(Map<String, Integer> legend, boolean byJob) {
        this.legend = legend;
        this.byJob = byJob;
    }

    /** Those of a run. */
    static Colours of(List<NodeIndex> nodes) {
        TreeSet<String> jobs = new TreeSet<>();
        for (NodeIndex node : nodes) {
            for (int i = 0; i < node.threads().size(); i++) {
                jobs.add(node.threads().of(Subject.FIRST + i).job());
            }
        }
        jobs.remove("");
        Map<String, Integer> legend = new HashMap<>();
        for (String job : jobs) {
            legend.put(job, FIRST + legend.size() % (PALETTE.size() - FIRST));
        }
        Colours colours = new Colours(legend, !jobs.isEmpty());
        for (NodeIndex node : nodes) {
            byte[] ofNode = new byte[node.threads().size()];
            for (int i = 0; i < ofNode.length; i++) {
                ofNode[i] = (byte) colours.choose(node.threads().of(Subject.FIRST + i));
            }
            colours.numbers.add(ofNode);
        }
        return colours;
    }

    private int choose(ThreadTable.Entry thread) {
        if (byJob) {
            return legend.getOrDefault(thread.job(), OTHERS);
        }
        String name = thread.name();
        return name.isEmpty() ? OTHERS : FIRST + Math.floorMod(name.hashCode(), PALETTE.size() - FIRST);
    }

    /** The number of the colour of whoever has a slice; 0 for nobody. */
    int of(int node, int subject) {
        byte[] ofNode = numbers.get(node);
        int thread = subject - Subject.FIRST;
        if (thread < 0) {
            return 0;
        }
        return thread < ofNode.length ? ofNode[thread] : OTHERS;
    }

    /** Whether they are those of jobs. */
    boolean areOfJobs() {
        return byJob;
    }

    /** Jobs by name, with the numbers of their colours. */
    Map<String, Integer> legend() {
        return legend;
    }
}
