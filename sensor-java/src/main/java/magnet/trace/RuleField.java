// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import magnet.record.RecordFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * What a rule's test compares. Immutable.
 *
 * @param source where it is
 * @param offset in the payload, for {@link Source#PAYLOAD}
 * @param bits how long it is; 128 for an address
 * @param signed whether negative numbers are smaller than others
 */
record RuleField(Source source, int offset, int bits, boolean signed) {

    /** Where a field is. */
    enum Source {
        CPU,
        TGID,
        TID,
        ID,
        PAYLOAD,
        PROTOCOL,
        SPORT,
        DPORT,
        SADDR,
        DADDR
    }

    private static final int ADDRESS_BITS = 128;

    /**
     * The field of this name, or null if the event has none.
     *
     * @throws RuleException if it is no number
     */
    static @Nullable RuleField of(EventFormat event, String name) throws RuleException {
        EventField payload = event.field(name);
        if (payload != null) {
            if (payload.isText()) {
                throw new RuleException("this field is a text; rules compare numbers");
            }
            return new RuleField(Source.PAYLOAD, payload.offset(), payload.size() * Byte.SIZE, payload.isSigned());
        }
        return switch (name) {
            case "cpu" -> header(Source.CPU, Long.SIZE);
            case "tgid" -> header(Source.TGID, Integer.SIZE);
            case "tid" -> header(Source.TID, Integer.SIZE);
            case "id" -> header(Source.ID, Long.SIZE);
            case "protocol" -> packet(event, Source.PROTOCOL, Byte.SIZE);
            case "sport" -> packet(event, Source.SPORT, Short.SIZE);
            case "dport" -> packet(event, Source.DPORT, Short.SIZE);
            case "saddr" -> packet(event, Source.SADDR, ADDRESS_BITS);
            case "daddr" -> packet(event, Source.DADDR, ADDRESS_BITS);
            default -> null;
        };
    }

    boolean isAddress() {
        return bits == ADDRESS_BITS;
    }

    /** Whether it is in the headers of the packet that the record carries. */
    boolean isOfPacket() {
        return source.compareTo(Source.PAYLOAD) > 0;
    }

    /** The largest value, as an unsigned number, if all bits count. */
    long mask() {
        return bits >= Long.SIZE ? -1 : (1L << bits) - 1;
    }

    /** Its value in a record, extended by its sign if it has one; of an address the lower half. */
    long value(RecordFlyweight record, PacketHeaders packet) {
        return switch (source) {
            case CPU -> record.cpu();
            case TGID -> Integer.toUnsignedLong(record.tgid());
            case TID -> Integer.toUnsignedLong(record.tid());
            case ID -> record.abstractId();
            case PAYLOAD -> payload(record);
            case PROTOCOL -> packet.protocol();
            case SPORT -> packet.sourcePort();
            case DPORT -> packet.destinationPort();
            case SADDR -> packet.sourceLow();
            case DADDR -> packet.destinationLow();
        };
    }

    /** The upper half of an address. */
    long high(PacketHeaders packet) {
        return source == Source.SADDR ? packet.sourceHigh() : packet.destinationHigh();
    }

    private long payload(RecordFlyweight record) {
        int at = record.payloadOffset() + offset;
        long value = switch (bits) {
            case Byte.SIZE -> record.buffer().get(at);
            case Short.SIZE -> record.buffer().getShort(at);
            case Integer.SIZE -> record.buffer().getInt(at);
            default -> record.buffer().getLong(at);
        };
        return signed ? value : value & mask();
    }

    private static RuleField header(Source source, int bits) {
        return new RuleField(source, 0, bits, false);
    }

    private static @Nullable RuleField packet(EventFormat event, Source source, int bits) {
        return event.tail() == EventFormat.Tail.BYTES ? header(source, bits) : null;
    }
}
