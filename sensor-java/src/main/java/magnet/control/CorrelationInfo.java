// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.OptionalLong;

/**
 * A correlating filter: it looks for events that belong together and logs what it finds to a buffer.
 *
 * @param id the number to remove it by
 * @param definition as it was given; docs/control.md
 * @param buffer the name of the buffer that its CORRELATED records go to
 * @param persistent whether it outlives the socket that made it
 * @param owner port id of that socket; empty if persistent
 * @param matched how often it found what it looks for
 * @param lostBefore events that it never saw, for want of space
 * @param forgotten events that it gave up to remember others
 * @param dropped of those that it found, for whose record the buffer had no room
 */
public record CorrelationInfo(
        long id,
        String definition,
        String buffer,
        boolean persistent,
        OptionalLong owner,
        long matched,
        long lostBefore,
        long forgotten,
        long dropped) {}
