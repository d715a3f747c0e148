// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

/**
 * What one CPU did. Times are ticks of the node. Immutable.
 *
 * @param cpu its number
 * @param threads which thread had it
 * @param waits how long each of these slices was waited for
 * @param hard handlers of hard interrupts; their subject is {@link Subject#FIRST} and their number
 * @param soft handlers of soft interrupts, in the same way
 * @param packetWaits threads that waited for it although they had a packet
 * @param late the times in which there was any such thread
 */
public record CpuIndex(int cpu, Lane threads, Waits waits, Lane hard, Lane soft, PacketWaits packetWaits, Lane late) {}
