// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists of CPUs as taskset and the kernel write them: {@code 0,2-3}, {@code 0-7:2} for each second one. Stateless. */
public final class CpuList {
    private static final int MOST_CPUS = 8_192;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4})(?::(\\d{1,4}))?)?");

    private CpuList() {}

    /** The CPUs of a list; empty if it is none, or names none, or one from {@value #MOST_CPUS} on. */
    public static Optional<SortedSet<Integer>> parse(String text) {
        SortedSet<Integer> cpus = new TreeSet<>();
        for (String each : text.split(",", -1)) {
            Matcher range = RANGE.matcher(each.strip());
            if (!range.matches()) {
                return Optional.empty();
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            int step = range.group(3) == null ? 1 : Integer.parseInt(range.group(3));
            if (last < first || last >= MOST_CPUS || step == 0) {
                return Optional.empty();
            }
            for (int cpu = first; cpu <= last; cpu += step) {
                cpus.add(cpu);
            }
        }
        return Optional.of(cpus);
    }
}
