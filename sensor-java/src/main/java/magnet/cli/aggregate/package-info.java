// SPDX-License-Identifier: Apache-2.0
/**
 * Aggregation on the spot: {@code magnet count} and {@code magnet hist} put events into groups as they come, or as a saved
 * trace has them, and print how many there were of each, or how large a field of theirs was.
 */
@NullMarked
package magnet.cli.aggregate;

import org.jspecify.annotations.NullMarked;
