// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** When a process was made, which tells it from another one that gets its number later. */
final class StartTime {
    /** Field 22 of {@code stat}, after the name and the state. */
    private static final int START = 19;

    private StartTime() {}

    /** Whether the process that has the number now was made then, in clock ticks since the machine was started. */
    static boolean is(Path processes, int pid, long start) {
        try {
            String text = Files.readString(
                    processes.resolve(Integer.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).strip().split(" ", -1);
            return Long.parseLong(fields[START]) == start;
        } catch (IOException e) {
            return false;
        }
    }
}
