// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import magnet.record.ClockModel;
import magnet.record.RecordLayout;

/**
 * What the module says of itself.
 *
 * @param abiVersion version of the ABI that it speaks
 * @param version its own version
 * @param layout how its records are laid out
 * @param clock what their timer counts
 * @param ticksPerMilli timer ticks per millisecond
 * @param timer the timer now
 * @param realtimeNs CLOCK_REALTIME at that instant
 * @param monotonicNs CLOCK_MONOTONIC at that instant
 * @param epoch counts up each time that the timer jumped or began anew
 * @param clockUnstable whether the kernel called the TSC unstable after the module chose it: timers of different CPUs
 *     can't be compared
 * @param ftraceDisabled whether {@code kernel.ftrace_enabled} is 0: points at functions see nothing, although they are
 *     active
 * @param dynamicDisabled whether it was loaded with {@code dynamic=off}: no point can be inserted
 * @param kprobesDisabled whether points are kprobes and {@code kprobes/enabled} of debugfs is 0: they see nothing, although
 *     they are active
 */
public record ModuleInfo(
        int abiVersion,
        String version,
        RecordLayout layout,
        ClockSource clock,
        long ticksPerMilli,
        long timer,
        long realtimeNs,
        long monotonicNs,
        int epoch,
        boolean clockUnstable,
        boolean ftraceDisabled,
        boolean dynamicDisabled,
        boolean kprobesDisabled) {

    /** MAGNET_CLOCK_F_UNSTABLE. */
    static final int CLOCK_UNSTABLE = 1;

    /** Whether a point that is hooked sees nothing, for what was switched off for the whole kernel. */
    public boolean isBlind(PointInfo point) {
        return (ftraceDisabled && point.hook() == Hook.FTRACE)
                || (kprobesDisabled && point.mechanism().isKprobe() && point.hook() != Hook.NONE);
    }

    /** A model that stands on this instant. */
    public ClockModel clockModel() {
        return new ClockModel(ticksPerMilli, timer, realtimeNs, monotonicNs, epoch);
    }
}
