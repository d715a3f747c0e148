// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file {@code /proc/PID/stat}, see proc(5). Stateless. */
public final class ProcessStat {
    /** Behind the command's name, from 0: when the process was started. */
    private static final int START_TIME = 19;

    private ProcessStat() {}

    /**
     * When a process was started, in ticks of 10 ms since the machine was.
     *
     * @param text the file's; the command's name in it may have any character, parentheses too
     * @throws IndexOutOfBoundsException or NumberFormatException if it is no such text
     */
    public static long startTicks(String text) {
        String[] fields = text.substring(text.lastIndexOf(')') + 2).strip().split(" ", -1);
        return Long.parseLong(fields[START_TIME]);
    }

    /**
     * Whether the process that has a number now was started then: if not, it is another one that got the number later.
     *
     * @param processes the folder with a folder for each process
     * @param startTicks as {@link #startTicks} gives them
     */
    public static boolean isOf(Path processes, int pid, long startTicks) {
        Path file = processes.resolve(Integer.toString(pid)).resolve("stat");
        try {
            return startTicks(Files.readString(file, StandardCharsets.ISO_8859_1)) == startTicks;
        } catch (IOException e) {
            return false; // it has ended
        }
    }
}
