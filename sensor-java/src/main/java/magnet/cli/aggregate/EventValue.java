// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

/**
 * One of the things that can be asked of an event.
 *
 * @param kind what its number stands for
 * @param end bytes of payload that a record has at least where it has this
 * @param ofPacket whether it is in the packet's headers, which are to be read first
 * @param value takes the number
 */
record EventValue(ValueKind kind, int end, boolean ofPacket, RecordValue value) {
    /** One that the header of each record has. */
    static EventValue ofHeader(ValueKind kind, RecordValue value) {
        return new EventValue(kind, 0, false, value);
    }
}
