// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import magnet.record.ClockModel;
import magnet.record.WordKind;
import magnet.record.Words;

/**
 * A packet's journey for people: the timer, CPU and thread of where the packet is shown, then each layer with the nanoseconds
 * since the first, and CPU and thread where they are others than before.
 *
 * <pre>
 * tsc=81723645 cpu=1 thread=419(python3): inet_sendmsg +0, udp_sendmsg +812, …, [cpu=0 thread=0(idle)] udp_rcv +9801
 * </pre>
 *
 * <p>Behind a thread stands {@code owner=slurm:4711} if it is known whose it is. ASCII. For one thread.
 */
final class JourneyText {
    private final String timerName;
    private final ClockModel clock;
    private final SeenThreads threads;
    private final Words words;
    private final boolean steps;

    /**
     * @param timerName what records' timers count: tsc or monotonic
     * @param words for reasons to drop a packet
     * @param steps whether the layers are wanted
     */
    JourneyText(String timerName, ClockModel clock, SeenThreads threads, Words words, boolean steps) {
        this.timerName = timerName;
        this.clock = clock;
        this.threads = threads;
        this.words = words;
        this.steps = steps;
    }

    void append(CapturedPacket packet, StringBuilder text) {
        text.append(timerName)
                .append('=')
                .append(Long.toUnsignedString(packet.timer()))
                .append(' ');
        appendPlace(packet.cpu(), packet.thread(), packet.process(), packet.owner(), text);
        if (steps) {
            appendSteps(packet, packet.journey(), text);
        }
    }

    private void appendSteps(CapturedPacket packet, Journey journey, StringBuilder text) {
        int cpu = packet.cpu();
        int thread = packet.thread();
        String owner = packet.owner();
        for (int step = 0; step < journey.size(); step++) {
            text.append(step == 0 ? ": " : ", ");
            if (journey.cpu(step) != cpu
                    || journey.thread(step) != thread
                    || !journey.owner(step).equals(owner)) {
                cpu = journey.cpu(step);
                thread = journey.thread(step);
                owner = journey.owner(step);
                text.append('[');
                appendPlace(cpu, thread, journey.process(step), owner, text);
                text.append("] ");
            }
            text.append(journey.point(step).label()).append(' ');
            appendSince(journey, step, text);
        }
        if (journey.further() > 0) {
            text.append(", ").append(journey.further()).append(" more");
        }
        if (journey.dropReason() != Journey.NOT_DROPPED) {
            String word = words.of(WordKind.DROP_REASON, journey.dropReason());
            text.append("; dropped: ").append(word == null ? "reason " + journey.dropReason() : word);
        }
    }

    private void appendSince(Journey journey, int step, StringBuilder text) {
        long nanos = clock.ticksToNanos(journey.timer(step) - journey.timer(0));
        text.append(nanos < 0 ? "" : "+").append(nanos);
    }

    /** Records of layout classic have no thread: then it is the process. */
    private void appendPlace(int cpu, int thread, int process, String owner, StringBuilder text) {
        boolean told = thread != 0 || process == 0;
        text.append("cpu=").append(cpu).append(told ? " thread=" : " process=").append(told ? thread : process);
        String name = threads.name(told ? thread : process);
        if (!name.isEmpty()) {
            text.append('(').append(name).append(')');
        }
        if (!owner.isEmpty()) {
            text.append(" owner=").append(SeenThreads.printable(owner));
        }
    }
}
