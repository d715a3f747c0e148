// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.ArrayList;
import java.util.List;
import magnet.cli.world.Failure;
import magnet.config.NearestName;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import org.jspecify.annotations.Nullable;

/** What can be asked of the records of one event, by the names that people write. */
final class EventValues {
    private static final List<String> OF_EVERY_EVENT = List.of("process", "thread", "cpu", "point");
    private static final List<String> OF_PACKETS = List.of("port", "sport", "dport", "protocol", "saddr", "daddr");
    private static final List<String> DEVICES = List.of("ifindex", "dev");
    private static final String LATENCY = "latency";
    private static final String TEXT = "text";

    private final EventFormat event;
    private final @Nullable EventType type;
    private final boolean described;
    private final RecordLayout layout;
    private final long ticksPerMilli;
    private final BytePool pool;
    private final @Nullable PacketValues packet;

    /**
     * Those of an event.
     *
     * @param described whether it is known what its records look like
     * @param layout of the records
     * @param ticksPerMilli nominal frequency of their timer
     * @param pool gets texts and addresses
     */
    EventValues(EventFormat event, boolean described, RecordLayout layout, long ticksPerMilli, BytePool pool) {
        this.event = event;
        this.type = EventType.ofId(event.id());
        this.described = described;
        this.layout = layout;
        this.ticksPerMilli = ticksPerMilli;
        this.pool = pool;
        this.packet = PacketValues.areIn(event) ? new PacketValues(event) : null;
    }

    /** The event. */
    EventFormat event() {
        return event;
    }

    /** What its packets' headers are read with; null if it has no packets. */
    @Nullable
    PacketValues packet() {
        return packet;
    }

    /** A number, for a histogram. */
    EventValue number(String name) throws Failure {
        EventValue value = of(name);
        if (value.kind().isText()) {
            throw new Failure(
                    name + " of " + event.name() + " is a text, and a histogram wants a number; \"magnet count -p "
                            + event.name() + " by " + name + "\" counts events by it");
        }
        return value;
    }

    /** What has this name. */
    EventValue of(String name) throws Failure {
        EventValue found = find(name);
        if (found == null) {
            throw new Failure(unknown(name));
        }
        boolean isOfThread = name.equals("thread") || name.equals("tid");
        if (isOfThread && !layout.hasTid() && event.field(name) == null) {
            throw new Failure("records of layout classic do not name threads; ask for them by process");
        }
        return found;
    }

    /** As in rules, a field of the payload goes before all else of its name. */
    private @Nullable EventValue find(String name) {
        EventField field = event.field(name);
        if (field != null) {
            return ofField(field);
        }
        return switch (name) {
            case "process", "pid", "tgid" -> EventValue.ofHeader(ValueKind.PROCESS, RecordFlyweight::tgid);
            case "thread", "tid" -> EventValue.ofHeader(ValueKind.THREAD, RecordFlyweight::tid);
            case "cpu" -> EventValue.ofHeader(ValueKind.NUMBER, RecordFlyweight::cpu);
            case "point", "event", "function" -> EventValue.ofHeader(ValueKind.POINT, RecordFlyweight::event);
            case "device" -> device();
            default -> unlisted(name);
        };
    }

    /** What no list of fields has. */
    private @Nullable EventValue unlisted(String name) {
        if (name.equals("abstract_id") || name.equals(abstractId())) {
            return EventValue.ofHeader(kindOfAbstractId(), RecordFlyweight::abstractId);
        }
        if (name.equals(TEXT) && type == EventType.MARKER) {
            return new EventValue(ValueKind.TEXT, event.size(), false, this::markerText);
        }
        return packet == null ? null : ofPacket(name, packet);
    }

    private @Nullable EventValue ofPacket(String name, PacketValues its) {
        return switch (name) {
            case "port", "dport" ->
                inPacket(ValueKind.PORT, record -> its.headers().destinationPort());
            case "sport" -> inPacket(ValueKind.PORT, record -> its.headers().sourcePort());
            case "protocol" ->
                inPacket(ValueKind.NUMBER, record -> its.headers().protocol());
            case "saddr" -> inPacket(ValueKind.ADDRESS, record -> its.source(pool));
            case "daddr" -> inPacket(ValueKind.ADDRESS, record -> its.destination(pool));
            default -> null;
        };
    }

    private EventValue inPacket(ValueKind kind, RecordValue value) {
        return new EventValue(kind, event.size(), true, value);
    }

    private @Nullable EventValue device() {
        for (String name : DEVICES) {
            EventField field = event.field(name);
            if (field != null && !field.isText()) {
                return ofField(field);
            }
        }
        return null;
    }

    private EventValue ofField(EventField field) {
        int end = field.offset() + field.size();
        if (field.isText()) {
            return new EventValue(ValueKind.TEXT, end, false, RecordValue.of(field, pool));
        }
        RecordValue value = RecordValue.of(field);
        if (isLatency(field)) {
            return new EventValue(ValueKind.NANOS, end, false, RecordValue.nanos(value, ticksPerMilli));
        }
        return new EventValue(kindOf(field), end, false, value);
    }

    /** What the module measures begins the payload, in ticks. */
    private boolean isLatency(EventField field) {
        boolean canHave = type == null || type == EventType.MAJOR_FAULT;
        return canHave && field.name().equals(LATENCY) && field.offset() == 0 && field.size() == Long.BYTES;
    }

    private ValueKind kindOf(EventField field) {
        if (type == null) {
            return field.isHex() ? ValueKind.HEX : field.isSigned() ? ValueKind.SIGNED : ValueKind.NUMBER;
        }
        return switch (field.name()) {
            case "ifindex" -> ValueKind.INTERFACE;
            case "dev" -> ValueKind.DISK;
            case "tgid", "next_tgid", "child_tgid" -> ValueKind.PROCESS;
            case "old_tid" -> ValueKind.THREAD;
            case "reason" -> type.payload() == Payload.DROP ? ValueKind.DROP_REASON : ValueKind.NUMBER;
            default -> isHex(type, field) ? ValueKind.HEX : ValueKind.NUMBER;
        };
    }

    private static boolean isHex(EventType type, EventField field) {
        for (PayloadField each : type.fields()) {
            if (each.name().equals(field.name())) {
                return each.style() == PayloadField.Style.HEX;
            }
        }
        return field.isHex();
    }

    private String abstractId() {
        return type == null || type.abstractId().equals("none") ? "" : type.abstractId();
    }

    private ValueKind kindOfAbstractId() {
        String name = abstractId();
        return name.endsWith("tid") ? ValueKind.THREAD : name.equals("request") ? ValueKind.HEX : ValueKind.NUMBER;
    }

    private long markerText(RecordFlyweight record) {
        int length = (int)
                Math.min(record.payloadU32(Payload.MARKER_LEN_OFFSET), (long) record.payloadSize() - event.size());
        return pool.numberOf(record.buffer(), record.payloadOffset() + event.size(), length);
    }

    private String unknown(String name) {
        List<String> own = own();
        List<String> all = new ArrayList<>(own);
        all.addAll(OF_EVERY_EVENT);
        String near = NearestName.near(name, all)
                .map(each -> "; did you mean " + each + "?")
                .orElse("");
        String listed = own.isEmpty() ? "it has none of its own" : "it has " + String.join(", ", own);
        return event.name() + " has no field " + name + near + " ("
                + (described ? listed : "root alone is told which it has") + "; every event has "
                + String.join(", ", OF_EVERY_EVENT) + ")";
    }

    /** Names of what this event has and not every one. */
    private List<String> own() {
        List<String> names = new ArrayList<>();
        event.fields().forEach(field -> names.add(field.name()));
        if (!abstractId().isEmpty() && !names.contains(abstractId())) {
            names.add(abstractId());
        }
        if (type == EventType.MARKER) {
            names.add(TEXT);
        }
        if (device() != null) {
            names.add("device");
        }
        if (packet != null) {
            OF_PACKETS.stream().filter(each -> !names.contains(each)).forEach(names::add);
        }
        return names;
    }
}
