// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

/**
 * The buckets of bpftrace's {@code hist()}: one of all negative numbers, one of 0, one of 1, and then one from each power
 * of two to the next. Numbers are signed, also those that the kernel has as 64 bits without a sign. Stateless.
 */
final class PowerBuckets {
    /** How many there are. */
    static final int COUNT = 65;

    private static final int NEGATIVE = 0;
    private static final int ZERO = 1;
    private static final int ONE = 2;
    private static final int LAST = COUNT - 1;
    private static final int BITS_OF_SUFFIX = 10;
    private static final String SUFFIXES = " KMGTPE";

    private PowerBuckets() {}

    /** The bucket of a number. */
    static int of(long value) {
        return value < 0 ? NEGATIVE : ZERO + Long.SIZE - Long.numberOfLeadingZeros(value);
    }

    /** Whether it is that of the negative numbers, which has no least one. */
    static boolean isNegative(int bucket) {
        return bucket == NEGATIVE;
    }

    /** The least number in a bucket; {@link Long#MIN_VALUE} in that of the negative ones. */
    static long least(int bucket) {
        return switch (bucket) {
            case NEGATIVE -> Long.MIN_VALUE;
            case ZERO -> 0;
            default -> 1L << (bucket - ONE);
        };
    }

    /** The largest number in a bucket. */
    static long most(int bucket) {
        return switch (bucket) {
            case NEGATIVE -> -1;
            case ZERO -> 0;
            case LAST -> Long.MAX_VALUE;
            default -> least(bucket + 1) - 1;
        };
    }

    /**
     * A bucket as bpftrace writes it: {@code (..., 0)}, {@code [0]}, {@code [1]}, {@code [2, 4)}, {@code [4K, 8K)}; but for P and
     * E, where bpftrace goes on with thousands of T.
     */
    static String label(int bucket) {
        return switch (bucket) {
            case NEGATIVE -> "(..., 0)";
            case ZERO -> "[0]";
            case ONE -> "[1]";
            default -> "[" + power(bucket - ONE) + ", " + power(bucket - ONE + 1) + ")";
        };
    }

    private static String power(int exponent) {
        String number = Integer.toString(1 << (exponent % BITS_OF_SUFFIX));
        return number
                + SUFFIXES.substring(exponent / BITS_OF_SUFFIX, exponent / BITS_OF_SUFFIX + 1)
                        .strip();
    }
}
