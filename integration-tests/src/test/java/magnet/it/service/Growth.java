// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What happened between two publications of a window that still grew, exactly: a rate times the window is a count, and
 * the one that the earlier publication had is taken from the later one's. What is a maximum is the window's.
 */
record Growth(TeeWindow from, TeeWindow to) {
    private static final String LENGTH = "magnet_sensor_window_length";
    private static final double MICROS_PER_PERCENT = 1e4;
    private static final double MICROS_PER_SECOND = 1e6;
    /** A bucket's number and where it begins. */
    private static final Pattern BUCKET = Pattern.compile("\\d_(?:from_)?(\\d+)(?:_to_\\d+)?us");

    /** How often it happened. */
    long count(String rate) {
        return Math.round(to.value(rate) * to.value(LENGTH) - from.value(rate) * from.value(LENGTH));
    }

    /** How many microseconds a share of the time is, in percent of it. */
    double micros(String percent) {
        return (to.value(percent) * to.value(LENGTH) - from.value(percent) * from.value(LENGTH)) * MICROS_PER_PERCENT;
    }

    /** How many microseconds of something that is a mean over the time there were, added up. */
    double totalMicros(String mean) {
        return (to.value(mean) * to.value(LENGTH) - from.value(mean) * from.value(LENGTH)) * MICROS_PER_SECOND;
    }

    /** A maximum, in microseconds. */
    double max(String metric) {
        return to.value(metric);
    }

    /** How many times were this many microseconds or longer, of all buckets whose names begin so. */
    long atLeast(String buckets, long micros) {
        return to.names().stream()
                .filter(name -> name.startsWith(buckets) && begin(name.substring(buckets.length())) >= micros)
                .mapToLong(this::count)
                .sum();
    }

    /** Where the buckets whose names begin so begin, in microseconds. */
    List<Long> begins(String buckets) {
        return to.names().stream()
                .filter(name -> name.startsWith(buckets))
                .map(name -> begin(name.substring(buckets.length())))
                .toList();
    }

    private static long begin(String bucket) {
        Matcher matcher = BUCKET.matcher(bucket);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no bucket: " + bucket);
        }
        return Long.parseLong(matcher.group(1));
    }
}
