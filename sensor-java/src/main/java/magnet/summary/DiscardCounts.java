// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/**
 * Times that were not measured since start. Immutable.
 *
 * @param lost because events were lost while they were open
 * @param evicted because a table was full
 * @param unpaired because begin and end did not fit together
 * @param clamped measured as 0, because they would have been negative
 */
public record DiscardCounts(long lost, long evicted, long unpaired, long clamped) {}
