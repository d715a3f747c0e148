// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.util.List;
import java.util.Optional;
import magnet.os.ClockQuality;

/**
 * What is known of a recording at a moment. Immutable.
 *
 * @param state how far it is
 * @param endNs when it ends, or has ended, nanoseconds since 1970
 * @param openedNs when the last subscription was opened; 0 = not yet. It is late if that is after the begin
 * @param events events in the trace, without those that only explain others
 * @param lost events that found no room or were missed since the subscriptions were opened; known at the end
 * @param bytes of the trace
 * @param parts of the trace, those that were removed included
 * @param cpuNs processor time that the recording's thread has had
 * @param begin how good the wall clock was at the begin; empty before
 * @param end how good it was at the end; empty before
 * @param gaps times in which nobody recorded, because the daemon was restarted
 * @param reason why it has failed, or why its figures are doubtful; empty if neither
 */
public record Progress(
        RecordingState state,
        long endNs,
        long openedNs,
        long events,
        long lost,
        long bytes,
        int parts,
        long cpuNs,
        Optional<ClockQuality> begin,
        Optional<ClockQuality> end,
        List<Gap> gaps,
        String reason) {
    /**
     * A time in which nobody recorded, nanoseconds since 1970.
     *
     * @param fromNs when something was written last
     * @param toNs when recording went on
     */
    public record Gap(long fromNs, long toNs) {}

    public Progress {
        gaps = List.copyOf(gaps);
    }

    /** Of one that has not begun. */
    static Progress ready(long endNs) {
        return new Progress(
                RecordingState.READY, endNs, 0, 0, 0, 0, 0, 0, Optional.empty(), Optional.empty(), List.of(), "");
    }

    /** The same in another state. */
    Progress in(RecordingState other, String why) {
        return new Progress(other, endNs, openedNs, events, lost, bytes, parts, cpuNs, begin, end, gaps, why);
    }
}
