// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * Limits how many events of a point are logged; what it refuses is counted and told in a STORM record.
 *
 * @param rate events per second and CPU that are let through
 * @param burst and this many at once
 */
public record StormGuard(long rate, long burst) {}
