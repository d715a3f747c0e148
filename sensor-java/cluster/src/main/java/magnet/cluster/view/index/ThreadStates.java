// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each thread does, as of the newest record: by its id. For one thread. */
final class ThreadStates {
    /** More than this run at once nowhere: then all is forgotten. */
    private static final int MOST = 1 << 18;

    static final long NEVER = -1;

    /** One thread. Times are ticks of the node. */
    static final class State {
        boolean running;
        /** Since when it could run and does not; {@link #NEVER} if it runs or sleeps. */
        long runnableSince = NEVER;

        Cause cause = Cause.NONE;
        /** For which CPU it waits. */
        int cpu;

        /** When the oldest packet came that lies in its socket; {@link #NEVER} if there is none. */
        long packetSince = NEVER;
        /** Whether the packet is known by the wake-up alone: then the thread takes it when it runs. */
        boolean packetByWakeup;

        /** Since when it waits although there is a packet; {@link #NEVER} if it does not. */
        long lateSince = NEVER;

        void forget() {
            running = false;
            runnableSince = NEVER;
            packetSince = NEVER;
            lateSince = NEVER;
        }
    }

    /** Of low ids, which nearly all threads have. */
    private static final int LOW = 1 << 16;

    private final @Nullable State[] low = new State[LOW];
    private final Map<Integer, State> states = new HashMap<>();

    State of(int tid) {
        if (tid > 0 && tid < LOW) {
            State known = low[tid];
            if (known == null) {
                known = new State();
                low[tid] = known;
            }
            return known;
        }
        State state = states.get(tid);
        if (state == null) {
            if (states.size() >= MOST) {
                states.clear();
            }
            state = new State();
            states.put(tid, state);
        }
        return state;
    }

    /** A thread has this id that is new, or nobody has it any more. */
    void remove(int tid) {
        if (tid > 0 && tid < LOW) {
            low[tid] = null;
        } else {
            states.remove(tid);
        }
    }

    /** Events are missing: what any of them does now nobody knows. */
    void forget() {
        states.values().forEach(State::forget);
        for (State each : low) {
            if (each != null) {
                each.forget();
            }
        }
    }
}
