// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;

/**
 * The metrics of a time's buckets, each a rate: one that ends at a power of two, those that end at four times the one
 * before, and one without an end. Immutable.
 *
 * <p>Eight of them, since a stacked graph bears no more. Ends that double would then reach only 64 times as far as the first
 * one; those that are four times as far as the one before reach 4,096 times, from the microseconds of a good case to
 * the milliseconds that somebody looks for, and are still powers of two.
 *
 * @param metrics one for each bucket, shortest times first
 * @param firstMicros where the first one ends, in microseconds
 */
public record BucketMetrics(List<Metric> metrics, long firstMicros) {
    /** Buckets of each time: what a stacked graph bears. */
    public static final int BUCKETS = 8;

    private static final long NANOS_PER_MICRO = 1_000;
    private static final String[] UNITS = {"us", "ms", "s"};
    private static final int STEP_OF_UNITS = 1_000;

    public BucketMetrics {
        metrics = List.copyOf(metrics);
    }

    /** The ends of all buckets but the last, in nanoseconds; an end is not part of its bucket. */
    public long[] endsNanos() {
        long[] ends = new long[BUCKETS - 1];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = (NANOS_PER_MICRO * firstMicros) << (2 * i);
        }
        return ends;
    }

    /**
     * The bounds of a bucket as people say them: {@code under 64 us}, {@code 66 to 262 ms}, {@code 256 us to 1 ms}. An end at
     * a power of two is rounded to whole milliseconds or seconds.
     */
    static String boundsText(long fromMicros, long toMicros) {
        if (fromMicros == 0) {
            return "under " + rounded(toMicros) + " " + unit(toMicros);
        }
        String sameUnit = unit(fromMicros).equals(unit(toMicros)) ? "" : " " + unit(fromMicros);
        return rounded(fromMicros) + sameUnit + " to " + rounded(toMicros) + " " + unit(toMicros);
    }

    /** The same of the bucket that has no end: {@code 262 ms and more}. */
    static String fromText(long fromMicros) {
        return rounded(fromMicros) + " " + unit(fromMicros) + " and more";
    }

    private static String unit(long micros) {
        return UNITS[unitIndex(micros)];
    }

    private static long rounded(long micros) {
        return Math.round(micros / Math.pow(STEP_OF_UNITS, unitIndex(micros)));
    }

    private static int unitIndex(long micros) {
        int index = 0;
        for (long left = micros; left >= STEP_OF_UNITS && index < UNITS.length - 1; left /= STEP_OF_UNITS) {
            index++;
        }
        return index;
    }
}
