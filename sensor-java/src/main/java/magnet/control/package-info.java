// SPDX-License-Identifier: Apache-2.0
/**
 * Control of the kernel module by generic netlink, family {@code magnet}: points, buffers, subscriptions. Encoding
 * and decoding is pure; {@link magnet.control.GenericNetlink} is the conversation, one socket the I/O.
 */
@NullMarked
package magnet.control;

import org.jspecify.annotations.NullMarked;
