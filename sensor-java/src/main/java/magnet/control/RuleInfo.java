// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * A rule of a subscription's chain.
 *
 * @param id the number to remove it by
 * @param text as it was given; docs/control.md
 * @param matched events that it matched, on all CPUs
 */
public record RuleInfo(long id, String text, long matched) {}
