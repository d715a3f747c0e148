// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.os.MonotonicClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * CPU time and memory of this process, from /proc.
 *
 * @param cpuNanos user and system time of all threads since start, to 10 ms
 * @param residentBytes resident memory
 */
public record ProcessUsage(long cpuNanos, long residentBytes) {
    private static final Logger LOGGER = LoggerFactory.getLogger(ProcessUsage.class);
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path STATUS = Path.of("/proc/self/status");
    /** Fields of /proc/PID/stat after the command's name, from 0; see proc(5). */
    private static final int UTIME = 11;

    private static final int STIME = 12;
    /** USER_HZ, which is 100 on every Linux that Java runs on. */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

    /** As it is now; empty if /proc does not tell. */
    public static Optional<ProcessUsage> now() {
        try {
            return Optional.of(parse(Files.readString(STAT), Files.readString(STATUS)));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            LOGGER.debug("cannot read {} and {}", STAT, STATUS, e);
            return Optional.empty();
        }
    }

    /**
     * As it was at some instant between two.
     *
     * @param beforeNanos monotonic time before it was asked
     * @param usage what was told
     * @param afterNanos monotonic time when it was known
     */
    public record Timed(long beforeNanos, ProcessUsage usage, long afterNanos) {
        /** As it is now; empty if /proc does not tell. */
        public static Optional<Timed> now(MonotonicClock clock) {
            long before = clock.nanos();
            return ProcessUsage.now().map(usage -> new Timed(before, usage, clock.nanos()));
        }
    }

    /** Parses the texts of /proc/PID/stat, whose second field may hold blanks and parentheses, and of status. */
    public static ProcessUsage parse(String stat, String status) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME]);
        Matcher resident = RESIDENT.matcher(status);
        return new ProcessUsage(
                ticks * NANOS_PER_TICK, resident.find() ? Long.parseLong(resident.group(1)) * 1_024 : 0);
    }
}
