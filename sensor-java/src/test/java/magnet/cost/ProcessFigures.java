// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the kernel says of a process. Immutable; the figures are those of the moment.
 *
 * @param pid the process, which must be there
 */
record ProcessFigures(long pid) {
    /** Of /proc, on every machine that Linux runs on today. */
    private static final int TICKS_PER_SECOND = 100;

    private static final int STATE_FIELD = 3;
    private static final int USER_TIME_FIELD = 14;

    /** Time that processors have spent on it, in programs and in the kernel, threads that have ended included. */
    double cpuSeconds() throws IOException {
        return cpuSeconds(proc("stat"));
    }

    /** The same of its first thread alone. */
    double firstThreadCpuSeconds() throws IOException {
        return cpuSeconds(proc("task/" + pid + "/stat"));
    }

    /** The same of that of its other threads which has spent most; 0 if there is none. */
    double busiestOtherThreadCpuSeconds() throws IOException {
        double most = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(proc("task"))) {
            for (Path thread : threads) {
                if (!thread.endsWith(String.valueOf(pid))) {
                    most = Math.max(most, cpuSeconds(thread.resolve("stat")));
                }
            }
        }
        return most;
    }

    private static double cpuSeconds(Path file) throws IOException {
        String stat = Files.readString(file);
        // The name before it is in parentheses and may have any character.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        int at = USER_TIME_FIELD - STATE_FIELD;
        return (double) (Long.parseLong(fields[at]) + Long.parseLong(fields[at + 1])) / TICKS_PER_SECOND;
    }

    /** One of the lines of {@code /proc/PID/status} that have KiB, as MiB. */
    double memoryMiB(String name) throws IOException {
        List<String> lines = Files.readAllLines(proc("status"));
        for (String line : lines) {
            if (line.startsWith(name + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
            }
        }
        throw new IOException("no " + name + " in " + proc("status"));
    }

    private Path proc(String file) {
        return Path.of("/proc", String.valueOf(pid), file);
    }
}
