// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/** A distribution of numbers over the trailing window. For the handlers' thread; allocates nothing. */
public interface Distribution {
    /**
     * Records a number. Percentiles are right to 1 percent, the maximum is exact. A negative number is left out, and
     * counted.
     */
    void record(long value);
}
