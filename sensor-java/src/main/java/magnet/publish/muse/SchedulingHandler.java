// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * How long threads had their CPUs, and how often they left them. A thread that was running at the start is found when it
 * leaves its CPU, and had it since the start; one that came later and runs has had it until now. Where an event of a CPU was
 * lost, or the timer jumped, the slice that it was in does not count.
 *
 * <p>Its reply: u64 {@code total_time} since the start, u64 {@code cpu_speed}, ticks in a second; {@code ncpu}, of
 * which clients read the first two bytes; for each CPU double {@code switches}, u64 {@code time_busy}, u64
 * {@code time_sched}; times in ticks. Clients have room for {@value #CPUS} CPUs: the last one stands for all others.
 * {@code time_sched} is the time between the leaving of a thread and the entering of the next, which are one event here.
 */
final class SchedulingHandler extends ClientHandler {
    static final int CPUS = 2;

    private static final int CPUS_OF_KERNEL = 8_192;
    private static final int PADDING = 4;

    /** What is known of a CPU. */
    private enum State {
        SINCE_START,
        RUNNING,
        AWAY
    }

    private final long process;
    private final int cpusAtCreation;
    private final long ticksPerSecond;
    private final StructLayout layout;
    private final long[] left = new long[CPUS];
    private final long[] entered = new long[CPUS];
    private final long[] busy = new long[CPUS];
    private State[] states = new State[0];
    private long[] since = new long[0];
    private long begun;

    /**
     * @param process the only one that counts; {@link EventFilter#ANY} without one
     * @param cpus CPUs of the machine
     */
    SchedulingHandler(long process, int cpus, long ticksPerSecond, StructLayout layout) {
        super(Kind.SCHEDULING);
        this.process = process;
        this.cpusAtCreation = cpus;
        this.ticksPerSecond = ticksPerSecond;
        this.layout = layout;
    }

    @Override
    long process() {
        return process;
    }

    @Override
    void began(long timer) {
        begun = timer;
        states = new State[0];
        since = new long[0];
    }

    @Override
    void ended(long timer) {
        for (int cpu = 0; cpu < states.length; cpu++) {
            if (states[cpu] == State.RUNNING) {
                leave(cpu, timer);
            }
        }
    }

    @Override
    void onEvent(MuseEvent event) {
        if (!reach(event.cpu)) {
            return;
        }
        if (event.number == MuseEvent.CONTEXT_IN) {
            entered[place(event.cpu)]++;
            states[event.cpu] = State.RUNNING;
            since[event.cpu] = event.timer;
        } else if (event.number == MuseEvent.CONTEXT_OUT) {
            left[place(event.cpu)]++;
            leave(event.cpu, event.timer);
        }
    }

    private void leave(int cpu, long timer) {
        long from = states[cpu] == State.SINCE_START ? begun : since[cpu];
        if (states[cpu] != State.AWAY) {
            busy[place(cpu)] += Math.max(0, timer - from);
        }
        states[cpu] = State.AWAY;
    }

    @Override
    void onLoss(int cpu) {
        if (reach(cpu)) {
            states[cpu] = State.AWAY;
        }
    }

    @Override
    void onJump(int cpus) {
        for (int cpu = 0; cpu < Math.max(cpus, states.length); cpu++) {
            onLoss(cpu);
        }
    }

    @Override
    void shift(long ahead) {
        begun += ahead;
    }

    private boolean reach(int cpu) {
        if (cpu < 0 || cpu >= CPUS_OF_KERNEL) {
            return false;
        }
        int before = states.length;
        if (cpu >= before) {
            states = Arrays.copyOf(states, cpu + 1);
            Arrays.fill(states, before, cpu + 1, State.SINCE_START);
            since = Arrays.copyOf(since, cpu + 1);
        }
        return true;
    }

    private static int place(int cpu) {
        return Math.min(cpu, CPUS - 1);
    }

    /** Leavings, unless the client has filters for enterings only. */
    private double switches(int place) {
        return admits(MuseEvent.CONTEXT_OUT) ? left[place] : entered[place];
    }

    @Override
    void reply(ByteBuffer into, long now) {
        int cpus = Math.min(CPUS, Math.max(cpusAtCreation, states.length));
        into.putLong(ticks(now)).putLong(ticksPerSecond).putShort((short) cpus).putShort((short) 0);
        if (layout == StructLayout.X86_64) {
            into.position(into.position() + PADDING);
        }
        for (int place = 0; place < cpus; place++) {
            into.putDouble(switches(place))
                    .putLong(busy[place] + running(place, now))
                    .putLong(0);
        }
    }

    private long running(int place, long now) {
        long ticks = 0;
        for (int cpu = 0; cpu < states.length; cpu++) {
            if (place(cpu) == place && states[cpu] == State.RUNNING) {
                ticks += Math.max(0, now - since[cpu]);
            }
        }
        return ticks;
    }
}
