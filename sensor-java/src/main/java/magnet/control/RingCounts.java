// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * What went through one CPU's ring of a buffer, LOST and CLOCK records included.
 *
 * @param cpu the CPU
 * @param recordsWritten records
 * @param recordsRead records that readers got
 * @param bytesWritten their bytes
 * @param bytesRead their bytes
 * @param lost events dropped, whatever the cause
 * @param lostReported of these, told in LOST records
 * @param overwritten records that a flight recorder gave up for younger ones
 */
public record RingCounts(
        int cpu,
        long recordsWritten,
        long recordsRead,
        long bytesWritten,
        long bytesRead,
        long lost,
        long lostReported,
        long overwritten) {}
