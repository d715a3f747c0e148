// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the packets of a trace, as one sequence. A packet that tells of an interval is written when the interval has
 * ended, so time stamps are not in order: who reads the trace sorts it. Names are written once, and then their numbers.
 * For one thread. What cannot be written is an {@link UncheckedIOException}.
 */
final class PacketWriter {
    private static final int SEQUENCE = 1;
    private static final int BUFFER_BYTES = 1 << 16;

    private final OutputStream out;
    private final ProtoWriter proto = new ProtoWriter();
    private final ProtoWriter newNames = new ProtoWriter();
    private final Map<String, Integer> eventNames = new HashMap<>();
    private final Map<String, Integer> annotationNames = new HashMap<>();
    private final Annotations annotations = new Annotations();
    private boolean begun;
    private long lastUuid;
    private long slices;

    PacketWriter(OutputStream out) {
        this.out = out;
    }

    /** What is shown beside the next slice or instant: none yet. */
    Annotations annotations() {
        return annotations.none();
    }

    /** Begins a packet without a time; its fields follow. */
    ProtoWriter begin() {
        proto.begin(Schema.TRACE_PACKET);
        proto.number(Schema.PACKET_SEQUENCE_ID, SEQUENCE);
        proto.number(
                Schema.PACKET_SEQUENCE_FLAGS,
                begun ? Schema.SEQUENCE_NEEDS_STATE : Schema.SEQUENCE_STATE_CLEARED | Schema.SEQUENCE_NEEDS_STATE);
        begun = true;
        return proto;
    }

    ProtoWriter begin(long ns) {
        begin();
        proto.number(Schema.PACKET_TIMESTAMP, ns);
        return proto;
    }

    void end() {
        if (newNames.size() > 0) {
            proto.begin(Schema.PACKET_INTERNED_DATA);
            proto.fields(newNames);
            proto.end();
            newNames.clear();
        }
        proto.end();
        if (proto.size() >= BUFFER_BYTES) {
            flush();
        }
    }

    void flush() {
        try {
            proto.writeTo(out);
            proto.clear();
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Slices of {@link #slice} so far. */
    long slices() {
        return slices;
    }

    /**
     * A track that other tracks can be below.
     *
     * @param parent 0 for none
     * @param rank order among its sisters
     * @return its uuid
     */
    long track(String name, long parent, int rank) {
        begin().begin(Schema.PACKET_TRACK_DESCRIPTOR);
        long uuid = describe(name, parent);
        proto.number(Schema.TRACK_CHILD_ORDERING, Schema.CHILD_ORDERING_EXPLICIT);
        proto.number(Schema.TRACK_ORDER_RANK, rank);
        proto.end();
        end();
        return uuid;
    }

    /** A track of a thread. */
    long threadTrack(int tgid, int tid) {
        begin().begin(Schema.PACKET_TRACK_DESCRIPTOR);
        proto.number(Schema.TRACK_UUID, ++lastUuid);
        proto.begin(Schema.TRACK_THREAD);
        proto.number(Schema.TRACK_THREAD_PID, tgid);
        proto.number(Schema.TRACK_THREAD_TID, tid);
        proto.end();
        proto.end();
        end();
        return lastUuid;
    }

    /** A label of a process, which has a track of its own with nothing on it. */
    void processLabel(int tgid, String label) {
        begin().begin(Schema.PACKET_TRACK_DESCRIPTOR);
        proto.number(Schema.TRACK_UUID, ++lastUuid);
        proto.begin(Schema.TRACK_PROCESS);
        proto.number(Schema.TRACK_PROCESS_PID, tgid);
        proto.text(Schema.TRACK_PROCESS_LABELS, label);
        proto.end();
        proto.end();
        end();
    }

    /** A track of a counter; of nanoseconds if its unit is {@code ns}. */
    long counterTrack(String name, long parent, String unit) {
        begin().begin(Schema.PACKET_TRACK_DESCRIPTOR);
        long uuid = describe(name, parent);
        proto.begin(Schema.TRACK_COUNTER);
        if (unit.equals("ns")) {
            proto.number(Schema.COUNTER_UNIT, Schema.UNIT_TIME_NS);
        } else {
            proto.text(Schema.COUNTER_UNIT_NAME, unit);
        }
        proto.end();
        proto.end();
        end();
        return uuid;
    }

    private long describe(String name, long parent) {
        proto.number(Schema.TRACK_UUID, ++lastUuid);
        proto.text(Schema.TRACK_NAME, name);
        if (parent != 0) {
            proto.number(Schema.TRACK_PARENT_UUID, parent);
        }
        return lastUuid;
    }

    /** A slice with the annotations; there are only so many names. One that would end before it begins takes no time. */
    void slice(long track, String name, long beginNs, long endNs) {
        slices++;
        event(Schema.TYPE_SLICE_BEGIN, track, beginNs);
        proto.number(Schema.EVENT_NAME_IID, eventName(name));
        putAnnotations();
        proto.end();
        end();
        event(Schema.TYPE_SLICE_END, track, Math.max(beginNs, endNs));
        proto.end();
        end();
    }

    /** An instant with the annotations; there are only so many names. */
    void instant(long track, String name, long ns) {
        event(Schema.TYPE_INSTANT, track, ns);
        proto.number(Schema.EVENT_NAME_IID, eventName(name));
        putAnnotations();
        proto.end();
        end();
    }

    /** An instant whose name is unlike all others. */
    void uniqueInstant(long track, String name, long ns) {
        event(Schema.TYPE_INSTANT, track, ns);
        proto.text(Schema.EVENT_NAME, name);
        putAnnotations();
        proto.end();
        end();
    }

    void counter(long track, long ns, long value) {
        event(Schema.TYPE_COUNTER, track, ns);
        proto.number(Schema.EVENT_COUNTER_VALUE, value);
        proto.end();
        end();
    }

    private void event(int type, long track, long ns) {
        begin(ns).begin(Schema.PACKET_TRACK_EVENT);
        proto.number(Schema.EVENT_TYPE, type);
        proto.number(Schema.EVENT_TRACK_UUID, track);
    }

    private void putAnnotations() {
        if (annotations.flow() != 0) {
            proto.fixed64(
                    annotations.flowEnds() ? Schema.EVENT_TERMINATING_FLOW_IDS : Schema.EVENT_FLOW_IDS,
                    annotations.flow());
        }
        for (int i = 0; i < annotations.size(); i++) {
            proto.begin(Schema.EVENT_ANNOTATIONS);
            proto.number(Schema.ANNOTATION_NAME_IID, annotationName(annotations.name(i)));
            String text = annotations.text(i);
            if (text == null) {
                proto.number(Schema.ANNOTATION_INT, annotations.number(i));
            } else {
                proto.text(Schema.ANNOTATION_TEXT, text);
            }
            proto.end();
        }
    }

    private int eventName(String name) {
        return interned(eventNames, Schema.INTERNED_EVENT_NAMES, name);
    }

    private int annotationName(String name) {
        return interned(annotationNames, Schema.INTERNED_ANNOTATION_NAMES, name);
    }

    private int interned(Map<String, Integer> known, int field, String name) {
        Integer iid = known.get(name);
        if (iid == null) {
            iid = known.size() + 1;
            known.put(name, iid);
            newNames.begin(field);
            newNames.number(Schema.NAME_IID, iid);
            newNames.text(Schema.NAME_NAME, name);
            newNames.end();
        }
        return iid;
    }
}
