// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * A packet of a pair that was received before it was sent, by what the clocks are taken for: the worst one. Immutable.
 *
 * @param sender number of the node that sent it
 * @param receiver number of the node that received it
 * @param sentNs when, in the sender's time
 * @param receivedNs when, in the receiver's time
 * @param byNs by how much it was too early
 * @param count packets of the pair of which this is so
 */
record Violation(int sender, int receiver, long sentNs, long receivedNs, long byNs, long count) {}
