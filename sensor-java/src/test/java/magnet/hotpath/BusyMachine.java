// SPDX-License-Identifier: Apache-2.0
package magnet.hotpath;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordLayout;
import org.jspecify.annotations.Nullable;

/**
 * Makes up what a machine that is busy in all its parts logs: threads that wake, run and sleep, datagrams that leave and
 * come in, interrupts, requests to a disk. Twenty kinds of events that belong together as a kernel's do, about 40 bytes
 * each; the same ones for the same seed. Timers count nanoseconds and are in order over all CPUs.
 *
 * <p>{@link #withJobs} has control groups, too: its processes are in eight that stay, and {@link #withJobsThatEnd} has
 * others that come and go.
 */
public final class BusyMachine {
    /** Kinds of events. */
    public static final int KINDS = 20;

    private static final int HEADER = RecordLayout.WIDE.headerSize();
    private static final int THREADS = 64;
    private static final long ASLEEP = 1;
    private static final int UDP = 17;
    /** The largest has the path of a control group; of these there are few. */
    private static final int MOST_BYTES = 128;

    /** What a CPU does one after the other, and how often beside the others. */
    private enum Doing {
        SCHEDULE(8),
        SOFT_INTERRUPT(8),
        HARD_INTERRUPT(2),
        SEND(1),
        RECEIVE(1),
        DISK(1);

        private final int share;

        Doing(int share) {
            this.share = share;
        }
    }

    /**
     * An event that a CPU will log.
     *
     * @param payload values of its fields by name
     * @param text the field that is one, if there is such
     * @param process which process logs it; 0 for the one that runs there
     */
    record Step(EventType type, long abstractId, Map<String, Long> payload, String text, int process) {
        Step(EventType type, long abstractId) {
            this(type, abstractId, Map.of());
        }

        Step(EventType type, long abstractId, Map<String, Long> payload) {
            this(type, abstractId, payload, "", 0);
        }
    }

    private final Random random;
    private final int spacingNanos;
    private final int[] running;
    private final Deque<Step>[] steps;
    private final Deque<Integer> runnable = new ArrayDeque<>();
    private final Deque<Integer> asleep = new ArrayDeque<>();
    private final Map<EventType, Long> counts = new EnumMap<>(EventType.class);
    private @Nullable JobChurn churn;
    private long timer;
    private long packets;
    private long requests;
    private long bytes;

    /**
     * @param spacingNanos mean time from one event to the next
     * @param timer when it begins
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of generics
    public BusyMachine(long seed, int cpus, int spacingNanos, long timer) {
        this.random = new Random(seed);
        this.spacingNanos = spacingNanos;
        this.timer = timer;
        this.running = new int[cpus];
        this.steps = new Deque[cpus];
        for (int cpu = 0; cpu < cpus; cpu++) {
            steps[cpu] = new ArrayDeque<>();
        }
        for (int thread = 1; thread <= THREADS; thread++) {
            asleep.add(thread);
        }
    }

    /** The same, and its processes are those of jobs. */
    public BusyMachine withJobs() {
        for (int process = process(1); process <= process(THREADS); process++) {
            JobChurn.begin(steps[0], process);
        }
        return this;
    }

    /** The same, and other jobs come and go: {@link JobChurn}. */
    public BusyMachine withJobsThatEnd() {
        churn = new JobChurn();
        return withJobs();
    }

    /** Room for so many events on one CPU, were they all its own and large. */
    public static ByteBuffer room(int events) {
        return ByteBuffer.allocateDirect(events * MOST_BYTES).order(ByteOrder.nativeOrder());
    }

    /** The timer of the last event. */
    public long timer() {
        return timer;
    }

    /** Bytes of all events. */
    public long bytes() {
        return bytes;
    }

    /** Events by kind. */
    public Map<EventType, Long> counts() {
        return counts;
    }

    /** Logs the next event; gives the CPU in whose buffer it is. */
    public int log(ByteBuffer[] buffers) {
        int cpu = random.nextInt(buffers.length);
        timer += 1 + random.nextInt(2 * spacingNanos - 1);
        if (steps[cpu].isEmpty()) {
            if (churn != null && random.nextInt(JobChurn.PLANS_EACH) == 0) {
                churn.next(steps[cpu]);
            }
            plan(cpu);
        }
        write(buffers[cpu], cpu, steps[cpu].remove());
        return cpu;
    }

    private void plan(int cpu) {
        int at = random.nextInt(21);
        for (Doing doing : Doing.values()) {
            at -= doing.share;
            if (at < 0) {
                plan(cpu, doing);
                return;
            }
        }
    }

    private void plan(int cpu, Doing doing) {
        Deque<Step> to = steps[cpu];
        switch (doing) {
            case SCHEDULE -> schedule(to);
            case SOFT_INTERRUPT -> {
                int vector = random.nextInt(10);
                to.add(new Step(EventType.SOFTIRQ_ENTRY, vector));
                to.add(new Step(EventType.SOFTIRQ_EXIT, vector));
            }
            case HARD_INTERRUPT -> {
                int irq = 20 + random.nextInt(8);
                to.add(new Step(EventType.IRQ_HANDLER_ENTRY, irq));
                to.add(new Step(EventType.IRQ_HANDLER_EXIT, irq, Map.of("ret", 1L)));
            }
            case SEND -> send(to, running[cpu]);
            case RECEIVE -> receive(to);
            case DISK -> {
                long request = ++requests;
                Map<String, Long> block = Map.of("bytes", 4096L, "op", requests % 2);
                to.add(new Step(EventType.BLOCK_RQ_ISSUE, request, block));
                to.add(new Step(EventType.BLOCK_RQ_COMPLETE, request, block));
            }
        }
    }

    /** A thread wakes, and one of those that can run runs; now and then one changes its CPU. */
    private void schedule(Deque<Step> to) {
        Integer woken = asleep.poll();
        if (woken != null) {
            runnable.add(woken);
            to.add(new Step(EventType.SCHED_WAKEUP, woken, Map.of("tgid", (long) process(woken))));
        }
        if (random.nextInt(8) == 0) {
            to.add(new Step(EventType.SCHED_MIGRATE_TASK, 1 + random.nextInt(THREADS)));
        }
        to.add(new Step(EventType.SCHED_SWITCH, 0));
    }

    private void send(Deque<Step> to, int thread) {
        long cookie = 1_000L + thread;
        Map<String, Long> call = Map.of("len", 100L, "protocol", (long) UDP);
        Map<String, Long> packet = Map.of("packet_id", ++packets, "len", 128L);
        to.add(new Step(EventType.SYS_ENTER, 44));
        to.add(new Step(EventType.INET_SENDMSG, cookie, call));
        to.add(new Step(EventType.UDP_SENDMSG, cookie, call));
        to.add(new Step(EventType.IP_SEND_SKB, cookie, packet));
        to.add(new Step(EventType.DEV_QUEUE_XMIT, cookie, packet));
        to.add(new Step(EventType.SYS_EXIT, 44, Map.of("ret", 100L)));
    }

    private void receive(Deque<Step> to) {
        Map<String, Long> packet = Map.of("packet_id", ++packets, "len", 128L);
        to.add(new Step(EventType.SOFTIRQ_ENTRY, 3));
        for (EventType type : new EventType[] {
            EventType.NETIF_RECEIVE_SKB, EventType.IP_LOCAL_DELIVER, EventType.UDP_RCV, EventType.UDP_ENQUEUE
        }) {
            to.add(new Step(type, 0, packet));
        }
        to.add(new Step(EventType.SOFTIRQ_EXIT, 3));
        to.add(new Step(EventType.SKB_CONSUME_UDP, 7, packet));
    }

    private void write(ByteBuffer to, int cpu, Step step) {
        int thread = running[cpu];
        if (step.type == EventType.SCHED_SWITCH) {
            int next = runnable.isEmpty() ? 0 : runnable.remove();
            boolean runsOn = thread != 0 && random.nextInt(4) == 0;
            append(to, cpu, thread, new Step(step.type, next));
            set(to, step.type, Payload.SCHED_SWITCH_PREV_STATE_OFFSET, runsOn ? 0 : ASLEEP);
            set(to, step.type, Payload.SCHED_SWITCH_NEXT_TGID_OFFSET, process(next));
            if (thread != 0) {
                (runsOn ? runnable : asleep).add(thread);
            }
            running[cpu] = next;
            return;
        }
        append(to, cpu, thread, step);
    }

    private void append(ByteBuffer to, int cpu, int thread, Step step) {
        int start = to.position();
        int size = HEADER + step.type.payload().size();
        to.putInt(size).putShort((short) cpu).putShort((short) step.type.id());
        int process = step.process == 0 ? process(thread) : step.process;
        to.putInt(process)
                .putInt(step.process == 0 ? thread : process)
                .putLong(step.abstractId)
                .putLong(timer);
        while (to.position() < start + size) {
            to.putLong(0);
        }
        for (PayloadField field : step.type.fields()) {
            Long value = step.payload.get(field.name());
            if (value != null) {
                switch (field.type()) {
                    case U16 -> to.putShort(start + HEADER + field.offset(), value.shortValue());
                    case U32 -> to.putInt(start + HEADER + field.offset(), value.intValue());
                    case U64 -> to.putLong(start + HEADER + field.offset(), value);
                    case CHAR16, CHAR128, CHAR256 -> throw new IllegalArgumentException(field.name() + " is a text");
                }
            } else if (field.type() == PayloadField.Type.CHAR256) {
                to.put(start + HEADER + field.offset(), step.text.getBytes(StandardCharsets.US_ASCII));
            }
        }
        bytes += size;
        counts.merge(step.type, 1L, Long::sum);
    }

    /** A field of 32 bits in the payload of the record that was written last. */
    private static void set(ByteBuffer to, EventType type, int offset, long value) {
        to.putInt(to.position() - type.payload().size() + offset, (int) value);
    }

    private static int process(int thread) {
        return thread == 0 ? 0 : 100 + thread / 2;
    }
}
