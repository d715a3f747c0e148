// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maps as bpftrace prints them. Immutable.
 *
 * @param numbers counts and maxima, by name, which has the key in it: {@code name[key]}
 * @param histograms how many there are, by name and the smallest value of the bucket
 */
record BpftraceMaps(Map<String, Long> numbers, Map<String, TreeMap<Long, Long>> histograms) {
    /** A map's name, and its value unless that is a histogram. */
    private static final Pattern NAME = Pattern.compile("@(\\w+(?:\\[\\d+])?): ?(\\d*)");
    /** A bucket of a histogram: from, which is a power of two, and how many. */
    private static final Pattern BUCKET = Pattern.compile("\\[(\\d+)([KMG]?)(?:]|, \\w+\\)) +(\\d+) \\|.*");

    /** Reads one print of all maps; what is between them is passed over. */
    static BpftraceMaps parse(String text) {
        Map<String, Long> numbers = new TreeMap<>();
        Map<String, TreeMap<Long, Long>> histograms = new TreeMap<>();
        String last = "";
        for (String line : text.split("\n", -1)) {
            Matcher name = NAME.matcher(line);
            Matcher bucket = BUCKET.matcher(line);
            if (name.matches() && !name.group(2).isEmpty()) {
                numbers.put(name.group(1), Long.parseLong(name.group(2)));
            } else if (name.matches()) {
                last = name.group(1);
            } else if (bucket.matches()) {
                long from = Long.parseLong(bucket.group(1)) << (10 * " KMG".indexOf((bucket.group(2) + " ").charAt(0)));
                histograms.computeIfAbsent(last, key -> new TreeMap<>()).put(from, Long.parseLong(bucket.group(3)));
            }
        }
        return new BpftraceMaps(numbers, histograms);
    }

    /** Names of those that stay once they are there: what has a key may be forgotten by the script. */
    Set<String> lasting() {
        Set<String> names = new TreeSet<>(histograms.keySet());
        numbers.keySet().stream().filter(name -> name.indexOf('[') < 0).forEach(names::add);
        return names;
    }

    /** A count or a maximum; 0 if nothing happened. */
    long number(String name) {
        return numbers.getOrDefault(name, 0L);
    }

    /** How many values are as large as this power of two, or larger. */
    long atLeast(String histogram, long bound) {
        return histograms.getOrDefault(histogram, new TreeMap<>()).tailMap(bound).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
