// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import magnet.machine.ProcessStat;

/**
 * When this process was started, to 10 ms. The JVM's own answer goes by the boot time, which Linux tells in whole seconds.
 * Stateless.
 */
final class ProcessStart {
    private static final long MILLIS_PER_TICK = 10;
    private static final double MILLIS_PER_SECOND = 1_000;

    private ProcessStart() {}

    /** By the wall clock as it is now; now itself if /proc does not tell. */
    static Instant instant() {
        Instant now = Instant.now();
        try {
            Duration age = age(Files.readString(Path.of("/proc/self/stat")), Files.readString(Path.of("/proc/uptime")));
            return now.minus(age);
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return now;
        }
    }

    /** Age of a process by the texts of /proc/PID/stat and /proc/uptime. */
    static Duration age(String stat, String uptime) {
        long startMillis = ProcessStat.startTicks(stat) * MILLIS_PER_TICK;
        double uptimeSeconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
        return Duration.ofMillis(Math.round(uptimeSeconds * MILLIS_PER_SECOND) - startMillis);
    }
}
