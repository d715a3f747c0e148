// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * When this process was started, to 10 ms. The JVM's own answer goes by the boot time, which Linux tells in whole seconds.
 * Stateless.
 */
final class ProcessStart {
    /** Field of /proc/PID/stat after the command's name, from 0: start time after boot in ticks of 10 ms; see proc(5). */
    private static final int START_TIME = 19;

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
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long startMillis = Long.parseLong(fields[START_TIME]) * MILLIS_PER_TICK;
        double uptimeSeconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
        return Duration.ofMillis(Math.round(uptimeSeconds * MILLIS_PER_SECOND) - startMillis);
    }
}
