// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.job.JobNames;
import magnet.record.ClockModel;

/**
 * What {@link EventSummary} must know beforehand. Immutable.
 *
 * @param cpus CPUs of the machine; the time in interrupts is a share of their time
 * @param slots slots that the window is made of, one for each publication
 * @param scale what a record's timer counts
 * @param clockModel places timers on CLOCK_MONOTONIC; whoever reads the records keeps it up to date
 * @param machine what names numbers have
 * @param jobs which cgroups are jobs
 * @param ranking gets the first processes of each window
 */
public record SummarySetup(
        int cpus,
        int slots,
        TimerScale scale,
        ClockModel clockModel,
        Machine machine,
        JobNames jobs,
        ProcessRanking ranking) {
    public SummarySetup {
        if (cpus < 1 || slots < 1) {
            throw new IllegalArgumentException("cpus=" + cpus + " slots=" + slots);
        }
    }

    /** Where nobody wants more processes than metrics have. */
    public SummarySetup(int cpus, int slots, TimerScale scale, ClockModel clockModel, Machine machine, JobNames jobs) {
        this(cpus, slots, scale, clockModel, machine, jobs, ProcessRanking.none());
    }
}
