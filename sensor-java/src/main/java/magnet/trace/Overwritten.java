// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

/**
 * What a trace does not have because the flight recorder that it was saved from had no room for it any more. Immutable.
 *
 * @param recorder the flight recorder's name
 * @param records older records that it had given up for younger ones by then, since it was started
 */
public record Overwritten(String recorder, long records) {}
