// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * How Supermon's clients are answered. Immutable.
 *
 * @param address where to listen
 * @param allow says from where connections may come
 * @param clients most connections at a time
 * @param format shape of a sample
 */
public record SupermonSettings(
        InetSocketAddress address, Predicate<InetAddress> allow, int clients, ReplyFormat format) {}
