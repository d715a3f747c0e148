// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

/**
 * What came from one CPU's file so far.
 *
 * @param cpu the CPU
 * @param records records handed on
 * @param bytes bytes read
 * @param lost events that LOST records say were dropped
 */
public record CpuCounts(int cpu, long records, long bytes, long lost) {}
