// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * The module's notice that urgent events were logged; one may tell of several.
 *
 * @param point the point's name
 * @param event the id in its records
 * @param buffer the buffer's name
 * @param subscription the subscription's id
 * @param urgents urgent events of the subscription so far
 */
public record UrgentNotice(String point, int event, String buffer, long subscription, long urgents) implements Notice {}
