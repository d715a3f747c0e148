// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import magnet.job.JobNames;
import magnet.metric.MetricChoice;

/**
 * Everything that {@code magnet.conf} decides. Immutable.
 *
 * @param bufferBytes size of the kernel buffer, bytes per CPU
 * @param watermarkBytes bytes that wake the collector
 * @param maxReadTimeout time after which it reads whatever is there
 * @param holdBack how long records wait for earlier ones of other CPUs
 * @param publishInterval time between two publications
 * @param window length of the trailing window that they describe; a multiple of the interval
 * @param sinks where it is published beside Ganglia
 * @param gmondConf gmond's configuration, for send channels and identity
 * @param metrics what is published
 * @param logLevel how much is logged
 * @param affinity CPUs that the service runs on; all that it may if empty
 * @param teeDirectory where to write every record and window, for finding faults; off if empty
 * @param pidFile where to write the process id; nowhere if empty
 * @param handlers handlers besides the built-in ones
 * @param recorder which flight recorder is saved, and when; none if empty
 * @param jobs which cgroups are jobs, and what they are called
 */
public record MagnetConfig(
        long bufferBytes,
        int watermarkBytes,
        Duration maxReadTimeout,
        Duration holdBack,
        Duration publishInterval,
        Duration window,
        SinkChoice sinks,
        Path gmondConf,
        MetricChoice metrics,
        LogLevel logLevel,
        Set<Integer> affinity,
        Optional<Path> teeDirectory,
        Optional<Path> pidFile,
        HandlerChoice handlers,
        Optional<RecorderChoice> recorder,
        JobNames jobs) {
    public MagnetConfig {
        affinity = Set.copyOf(affinity);
    }

    /** Slots that the window is made of. */
    public int slots() {
        return (int) (window.toNanos() / publishInterval.toNanos());
    }

    /** The same with something else to publish. */
    public MagnetConfig with(MetricChoice others, HandlerChoice otherHandlers) {
        return new MagnetConfig(
                bufferBytes,
                watermarkBytes,
                maxReadTimeout,
                holdBack,
                publishInterval,
                window,
                sinks,
                gmondConf,
                others,
                logLevel,
                affinity,
                teeDirectory,
                pidFile,
                otherHandlers,
                recorder,
                jobs);
    }
}
