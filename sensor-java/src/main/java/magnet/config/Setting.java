// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/**
 * A setting that is given elsewhere than in {@code magnet.conf}, and counts more than what stands there. Immutable.
 *
 * @param name {@code section.key}, in the names of {@code magnet.conf}
 * @param value its value, as it would be written there
 * @param place where it stands, as {@code file:line}, for messages
 */
public record Setting(String name, String value, String place) {}
