// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

/**
 * What a datagram says. Immutable.
 *
 * @param kind what it is for
 * @param sender who sends: a number that each run of a program chooses for itself
 * @param counter rises with each datagram of a sender: nanoseconds of the wall clock when it was sent, or one more than the
 *     last one
 * @param run the run that it is about; {@link Id#NONE} if it is about none
 * @param atNs the instant at which it is to happen, nanoseconds since 1970; 0 = at once
 * @param durationNs how long a recording takes, nanoseconds
 * @param text of START and STOP the name of a profile in the node's own magnet.conf; of ACK lines {@code key=value}
 */
public record Message(Kind kind, Id sender, long counter, Id run, long atNs, long durationNs, String text) {}
