// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

/**
 * What was wrong with a CPU's part of a trace. Immutable.
 *
 * @param file the first file where something was
 * @param offset where in it, in bytes
 * @param malformed records and packets that cannot be; each was passed over
 * @param skippedBytes bytes that were passed over with them
 * @param missingBytes bytes that the last packets of cut files lack
 */
public record TraceDefects(String file, long offset, long malformed, long skippedBytes, long missingBytes) {}
