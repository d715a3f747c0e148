// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.LinkedHashMap;
import java.util.Map;
import magnet.cluster.view.index.Cause;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Subject;
import magnet.cluster.view.index.ThreadTable;
import magnet.record.WordKind;
import magnet.record.Words;

/** How threads and causes are named in answers. Stateless. */
final class Named {
    private Named() {}

    /** A thread as fields, to which more can be added. */
    static Map<String, Object> thread(NodeIndex node, int subject) {
        ThreadTable.Entry thread = node.threads().of(subject);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("thread", subject);
        fields.put("name", name(thread));
        fields.put("tid", thread.tid());
        fields.put("process", thread.process());
        if (!thread.job().isEmpty()) {
            fields.put("job", thread.job());
        }
        return fields;
    }

    /** What it is called, or its number if nobody knows. */
    static String name(ThreadTable.Entry thread) {
        return thread.name().isEmpty() ? "thread " + thread.tid() : thread.name();
    }

    /** What a soft interrupt is called. */
    static String soft(int vector) {
        String word = Words.common().of(WordKind.SOFTIRQ, vector);
        return word == null ? "soft interrupt " + vector : word;
    }

    /** What made a thread runnable, for people; empty if the trace does not say. */
    static String cause(NodeIndex node, Cause cause) {
        return switch (cause.kind()) {
            case THREAD -> "woken by " + who(node, cause.number());
            case PREEMPTED -> cause.number() == Subject.IDLE ? "" : who(node, cause.number()) + " took the CPU";
            case HARD_INTERRUPT -> "woken by interrupt " + cause.number();
            case SOFT_INTERRUPT -> "woken by soft interrupt " + soft(cause.number());
            case PACKET -> "woken by a packet";
            case UNKNOWN -> "";
        };
    }

    private static String who(NodeIndex node, int subject) {
        ThreadTable.Entry thread = node.threads().of(subject);
        return name(thread) + (thread.tid() == 0 ? "" : " " + thread.tid());
    }
}
