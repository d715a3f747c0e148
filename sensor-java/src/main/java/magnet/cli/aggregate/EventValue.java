// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import magnet.record.RecordFlyweight;
import magnet.record.WordKind;
import magnet.record.Words;

/**
 * One of the things that can be asked of an event.
 *
 * @param kind what its number stands for
 * @param words which words its number has; {@link WordKind#NUMBER} for none
 * @param end bytes of payload that a record has at least where it has this
 * @param ofPacket whether it is in the packet's headers, which are to be read first
 * @param value takes the number; of system calls a {@link SystemCallKey}
 */
record EventValue(ValueKind kind, WordKind words, int end, boolean ofPacket, RecordValue value) {
    /** One without words. */
    EventValue(ValueKind kind, int end, boolean ofPacket, RecordValue value) {
        this(kind, WordKind.NUMBER, end, ofPacket, value);
    }

    /** One that the header of each record has. */
    static EventValue ofHeader(ValueKind kind, RecordValue value) {
        return new EventValue(kind, 0, false, value);
    }

    /** What it stands for, as a key. */
    KeyKind keyKind() {
        return new KeyKind(kind, words);
    }

    /** The same for groups: numbers that have one word are one. */
    EventValue grouped() {
        return new EventValue(kind, words, end, ofPacket, record -> Words.representative(words, value.in(record)));
    }

    /** The same as a number, without words. */
    EventValue plain() {
        boolean isCall = words == WordKind.SYSTEM_CALL;
        return new EventValue(kind, end, ofPacket, isCall ? RecordFlyweight::abstractId : value);
    }
}
