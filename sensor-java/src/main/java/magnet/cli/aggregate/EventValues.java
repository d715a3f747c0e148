// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.ArrayList;
import java.util.List;
import magnet.cli.world.Failure;
import magnet.cli.world.SavedOwners;
import magnet.config.NearestName;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import org.jspecify.annotations.Nullable;

/** What can be asked of the records of one event, by the names that people write. */
final class EventValues {
    private static final List<String> OF_EVERY_EVENT = List.of("process", "thread", "cpu", "point", Aggregation.JOB);
    private static final List<String> OF_PACKETS = List.of("port", "sport", "dport", "protocol", "saddr", "daddr");
    private static final List<String> DEVICES = List.of("ifindex", "dev");
    private static final String ABSTRACT_ID = "abstract_id";
    private static final String LATENCY = "latency";
    /** What the module measures begins the payload, in ticks. */
    static final int LATENCY_OFFSET = 0;

    private static final String TEXT = "text";

    private final EventFormat event;
    private final @Nullable EventType type;
    private final boolean described;
    private final RecordLayout layout;
    private final long ticksPerMilli;
    private final BytePool pool;
    private final @Nullable JobKey jobs;
    private final @Nullable PacketValues packet;

    /**
     * Those of an event.
     *
     * @param described whether it is known what its records look like
     * @param layout of the records
     * @param ticksPerMilli nominal frequency of their timer
     * @param pool gets texts and addresses
     * @param jobs tells the jobs of processes; null where nobody does
     */
    EventValues(
            EventFormat event,
            boolean described,
            RecordLayout layout,
            long ticksPerMilli,
            BytePool pool,
            @Nullable JobKey jobs) {
        this.event = event;
        this.type = EventType.ofId(event.id());
        this.described = described;
        this.layout = layout;
        this.ticksPerMilli = ticksPerMilli;
        this.pool = pool;
        this.jobs = jobs;
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
        return value.plain();
    }

    /** What has this name. */
    EventValue of(String name) throws Failure {
        EventValue found = find(name);
        if (found == null && name.equals(Aggregation.JOB)) {
            throw new Failure(SavedOwners.UNTOLD);
        }
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
            case Aggregation.JOB -> jobs == null ? null : EventValue.ofHeader(ValueKind.TEXT, jobs);
            default -> unlisted(name);
        };
    }

    /** What no list of fields has. */
    private @Nullable EventValue unlisted(String name) {
        if (name.equals(ABSTRACT_ID)) {
            return EventValue.ofHeader(kindOfAbstractId(), RecordFlyweight::abstractId);
        }
        if (type != null && name.equals(abstractId())) {
            return ofAbstractId(type);
        }
        if (name.equals(TEXT) && type == EventType.MARKER) {
            return new EventValue(ValueKind.TEXT, event.size(), false, this::markerText);
        }
        return packet == null ? null : ofPacket(name, packet);
    }

    /** By the name that it has at this point it is what it stands for there: it has words, as an abstract id it has none. */
    private EventValue ofAbstractId(EventType its) {
        WordKind words = its.abstractIdWords();
        RecordValue value = words == WordKind.SYSTEM_CALL
                ? record -> SystemCallKey.of(its.abstractIdWords(record), record.abstractId())
                : RecordFlyweight::abstractId;
        return new EventValue(kindOfAbstractId(), words, 0, false, value);
    }

    private @Nullable EventValue ofPacket(String name, PacketValues its) {
        return switch (name) {
            case "port", "dport" ->
                inPacket(
                        ValueKind.PORT, WordKind.NUMBER, record -> its.headers().destinationPort());
            case "sport" ->
                inPacket(
                        ValueKind.PORT, WordKind.NUMBER, record -> its.headers().sourcePort());
            case "protocol" ->
                inPacket(
                        ValueKind.NUMBER,
                        WordKind.PROTOCOL,
                        record -> its.headers().protocol());
            case "saddr" -> inPacket(ValueKind.ADDRESS, WordKind.NUMBER, record -> its.source(pool));
            case "daddr" -> inPacket(ValueKind.ADDRESS, WordKind.NUMBER, record -> its.destination(pool));
            default -> null;
        };
    }

    private EventValue inPacket(ValueKind kind, WordKind words, RecordValue value) {
        return new EventValue(kind, words, event.size(), true, value);
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
        return new EventValue(kindOf(field), wordsOf(field), end, false, value);
    }

    private boolean isLatency(EventField field) {
        boolean canHave = type == null || type == EventType.MAJOR_FAULT;
        return canHave
                && field.name().equals(LATENCY)
                && field.offset() == LATENCY_OFFSET
                && field.size() == Long.BYTES;
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
            default -> isHex(field) ? ValueKind.HEX : ValueKind.NUMBER;
        };
    }

    private boolean isHex(EventField field) {
        PayloadField its = ofAbi(field);
        return its == null ? field.isHex() : its.style() == PayloadField.Style.HEX;
    }

    private WordKind wordsOf(EventField field) {
        PayloadField its = ofAbi(field);
        return its == null ? WordKind.NUMBER : its.words();
    }

    /** The field of the ABI that has this name; null if there is none. */
    private @Nullable PayloadField ofAbi(EventField field) {
        if (type != null) {
            for (PayloadField each : type.fields()) {
                if (each.name().equals(field.name())) {
                    return each;
                }
            }
        }
        return null;
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
