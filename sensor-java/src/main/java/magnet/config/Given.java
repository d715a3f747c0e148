// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/**
 * A value as somebody wrote it. Immutable.
 *
 * @param text the value
 * @param place where it stands, such as {@code file:line}, with {@code ": "} at its end
 */
public record Given(String text, String place) {}
