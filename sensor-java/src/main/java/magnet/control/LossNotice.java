// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * The module's notice that a buffer lost events.
 *
 * @param buffer the buffer's name
 * @param lost events lost since it was made
 */
public record LossNotice(String buffer, long lost) implements Notice {}
