// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

/** Follows one condition from interval to interval. For one thread. */
final class ConditionWatch {
    private final Condition condition;
    private boolean holds;
    /** End of the last interval that kept it. */
    private long keptNanos;

    ConditionWatch(Condition condition) {
        this.condition = condition;
    }

    Condition condition() {
        return condition;
    }

    boolean holds() {
        return holds;
    }

    /**
     * Takes in an interval.
     *
     * @param value of the metric
     * @param lossy whether it may be too low
     * @param nowNanos its end, in monotonic time
     * @return whether the condition began or ended with it
     */
    boolean look(double value, boolean lossy, long nowNanos) {
        boolean before = holds;
        if (!holds) {
            holds = condition.begins(value, lossy);
            keptNanos = nowNanos;
        } else if (!condition.leaves(value, lossy)) {
            keptNanos = nowNanos;
        } else if (nowNanos - keptNanos >= condition.hold().toNanos()) {
            holds = false;
        }
        return holds != before;
    }

    /**
     * Takes in an interval of which the value is not known: nothing begins or ends, and it does not count as back.
     *
     * @param nowNanos its end, in monotonic time
     */
    void lookAway(long nowNanos) {
        keptNanos = nowNanos;
    }
}
