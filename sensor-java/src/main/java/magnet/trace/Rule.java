// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.Arrays;
import java.util.List;
import magnet.record.RecordFlyweight;

/** One rule of a chain for one event, with what its action has to remember. For one thread. */
final class Rule {
    /** What becomes of an event that it matches. */
    enum Action {
        LOG,
        DROP,
        SAMPLE,
        EVERY
    }

    private final Action action;
    private final long argument;
    private final RuleCondition[] conditions;
    private final boolean asksPacket;
    private long[] left = new long[8];
    private boolean passed;
    private long lastTimer;

    /**
     * @param argument of SAMPLE how many events, of EVERY how many ticks
     */
    Rule(Action action, long argument, List<RuleCondition> conditions) {
        this.action = action;
        this.argument = argument;
        this.conditions = conditions.toArray(new RuleCondition[0]);
        this.asksPacket = conditions.stream().anyMatch(RuleCondition::isOfPacket);
    }

    boolean asksPacket() {
        return asksPacket;
    }

    boolean matches(RecordFlyweight record, PacketHeaders packet) {
        for (RuleCondition condition : conditions) {
            if (!condition.matches(record, packet)) {
                return false;
            }
        }
        return true;
    }

    /** Whether an event that it matches is logged. */
    boolean logs(RecordFlyweight record) {
        return switch (action) {
            case LOG -> true;
            case DROP -> false;
            case SAMPLE -> isSampled(record.cpu());
            case EVERY -> timeHasPassed(record.timer());
        };
    }

    /** The first one of each CPU, and then each N-th. */
    private boolean isSampled(int cpu) {
        if (cpu >= left.length) {
            left = Arrays.copyOf(left, Math.max(cpu + 1, 2 * left.length));
        }
        if (left[cpu] == 0) {
            left[cpu] = argument - 1;
            return true;
        }
        left[cpu]--;
        return false;
    }

    private boolean timeHasPassed(long timer) {
        if (passed && timer - lastTimer < argument) {
            return false;
        }
        passed = true;
        lastTimer = timer;
        return true;
    }
}
