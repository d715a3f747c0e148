// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A set of the numbers from 0 to a largest one, as ranges in their order that neither overlap nor touch. Immutable.
 *
 * @param most the largest number that there is
 */
record Ranges(long most, List<Range> ranges) {
    /** From low to high, both in it. */
    record Range(long low, long high) {}

    Ranges {
        ranges = List.copyOf(ranges);
    }

    static Ranges of(long most, long low, long high) {
        return new Ranges(most, List.of(new Range(low, high)));
    }

    /** Those of single numbers, which are given in their order. */
    static Ranges ofEach(long most, long... numbers) {
        List<Range> ranges = new ArrayList<>();
        for (long number : numbers) {
            ranges.add(new Range(number, number));
        }
        return new Ranges(most, ranges);
    }

    boolean contains(long number) {
        for (Range range : ranges) {
            if (number >= range.low && number <= range.high) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Whether all numbers are in it. */
    boolean isFull() {
        return ranges.size() == 1 && ranges.get(0).low == 0 && ranges.get(0).high == most;
    }

    Ranges complement() {
        List<Range> others = new ArrayList<>();
        long next = 0;
        for (Range range : ranges) {
            if (range.low > next) {
                others.add(new Range(next, range.low - 1));
            }
            next = range.high + 1;
        }
        if (next <= most) {
            others.add(new Range(next, most));
        }
        return new Ranges(most, others);
    }

    Ranges intersect(Ranges other) {
        List<Range> common = new ArrayList<>();
        for (Range one : ranges) {
            for (Range two : other.ranges) {
                long low = Math.max(one.low, two.low);
                long high = Math.min(one.high, two.high);
                if (low <= high) {
                    common.add(new Range(low, high));
                }
            }
        }
        return new Ranges(most, common);
    }

    int size() {
        return ranges.size();
    }

    /** What a rule asks of a field to be in it. */
    String test(String field, boolean hex) {
        Ranges others = complement();
        if (others.size() < size()) {
            return field + " != " + others.list(hex);
        }
        boolean single = size() == 1 && ranges.get(0).low == ranges.get(0).high;
        return field + (single ? " == " : " in ") + list(hex);
    }

    private String list(boolean hex) {
        return ranges.stream()
                .map(range -> number(range.low, hex) + (range.low == range.high ? "" : "-" + number(range.high, hex)))
                .collect(Collectors.joining(","));
    }

    private static String number(long number, boolean hex) {
        return hex ? "0x" + Long.toHexString(number) : Long.toString(number);
    }
}
