// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a JVM with the serial collector logs of its collections: a few lines each, written while it stands still anyway, so
 * that what is measured beside it hardly changes.
 */
final class GcLog {
    private static final Pattern LINE = Pattern.compile("\\[(\\d+)ns] GC\\((\\d+)\\) (.*)");
    private static final Pattern GENERATION = Pattern.compile("(?:DefNew|Tenured): (\\d+)K\\(\\d+K\\)->(\\d+)K\\(.*");
    private static final Pattern PAUSE = Pattern.compile("Pause .* (\\d+\\.\\d+)ms");
    private static final long KIB = 1_024;

    private GcLog() {}

    /**
     * One collection.
     *
     * @param endNanos when it ended, by CLOCK_MONOTONIC, as {@link System#nanoTime}
     * @param pauseMillis for how long all threads stood still
     * @param bytesBefore the heap's objects before it
     * @param bytesAfter those that were left
     */
    record Collection(long endNanos, double pauseMillis, long bytesBefore, long bytesAfter) {}

    /** The JVM's option that lets it write the log to a file. */
    static String option(Path file) {
        return "-Xlog:gc=info,gc+heap=info:file=" + file + ":timenanos:filecount=0";
    }

    /** The collections whose last line is there, in their order. */
    static List<Collection> read(Path file) throws IOException {
        List<Collection> all = new ArrayList<>();
        String current = "";
        long before = 0;
        long after = 0;
        for (String text : Files.readAllLines(file)) {
            Matcher line = LINE.matcher(text);
            if (!line.matches()) {
                continue;
            }
            if (!line.group(2).equals(current)) {
                current = line.group(2);
                before = 0;
                after = 0;
            }
            Matcher generation = GENERATION.matcher(line.group(3));
            Matcher pause = PAUSE.matcher(line.group(3));
            if (generation.matches()) {
                before += KIB * Long.parseLong(generation.group(1));
                after += KIB * Long.parseLong(generation.group(2));
            } else if (pause.matches()) {
                all.add(new Collection(
                        Long.parseLong(line.group(1)), Double.parseDouble(pause.group(1)), before, after));
            }
        }
        return all;
    }

    /**
     * Bytes that were allocated in a second, from the first of these collections to the last one: what there was before one
     * and not after the one before. NaN for fewer than two.
     */
    static double allocatedPerSecond(List<Collection> collections) {
        if (collections.size() < 2) {
            return Double.NaN;
        }
        long bytes = 0;
        for (int i = 1; i < collections.size(); i++) {
            bytes += collections.get(i).bytesBefore() - collections.get(i - 1).bytesAfter();
        }
        long nanos = collections.get(collections.size() - 1).endNanos()
                - collections.get(0).endNanos();
        return bytes / (nanos / 1e9);
    }
}
