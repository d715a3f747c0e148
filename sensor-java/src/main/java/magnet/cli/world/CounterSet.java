// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import magnet.record.Counter;
import picocli.CommandLine.TypeConversionException;

/**
 * Counters of the CPU as an option names them: {@code instructions,cache_misses}, or {@code none}. Between the words of
 * a name {@code -} is as good as {@code _}.
 *
 * @param counters which; none twice
 */
public record CounterSet(Set<Counter> counters) {
    /** What an option of this type wants. */
    public static final String WANTED =
            "none, or up to " + Counter.MOST + ", separated by commas, of cycles, instructions,"
                    + " cache_references, cache_misses, branches, branch_misses, cpu_clock, context_switches";

    private static final String NONE = "none";

    public CounterSet {
        counters = Set.copyOf(counters);
    }

    public static CounterSet parse(String text) {
        EnumSet<Counter> counters = EnumSet.noneOf(Counter.class);
        if (!text.equals(NONE)) {
            for (String name : text.split(",", -1)) {
                counters.add(named(name));
            }
        }
        if (counters.size() > Counter.MOST) {
            throw new TypeConversionException("not " + WANTED);
        }
        return new CounterSet(counters);
    }

    private static Counter named(String name) {
        String label = name.strip().toLowerCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(Counter.values())
                .filter(counter -> counter.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("not " + WANTED));
    }
}
