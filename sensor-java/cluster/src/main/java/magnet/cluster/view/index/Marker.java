// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

/**
 * A text that a program has written into the trace. Immutable.
 *
 * @param at ticks of the node
 * @param cpu where
 * @param thread subject of the thread that wrote it
 * @param number that it begins with; 0 if with none
 * @param text as far as it can be shown
 */
public record Marker(long at, int cpu, int thread, long number, String text) {}
