// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a Perfetto trace has, decoded by Google's library with the numbers of Perfetto's {@code .proto} files. */
final class PerfettoFile {
    /** A context switch: the states are Perfetto's. */
    record Switch(int cpu, long ns, long leaving, long state, long entering) {}

    /** A system call of a thread that has returned. */
    record Call(long tid, long number, long begin, long end) {}

    /** A slice or, where both times are equal, an instant of a flow. */
    record Hop(long flow, String name, long begin, long end) {}

    /** A counter's value. */
    record Value(String name, long ns, long value) {}

    final List<Switch> switches = new ArrayList<>();
    final List<Call> calls = new ArrayList<>();
    final List<Hop> hops = new ArrayList<>();
    final List<Value> values = new ArrayList<>();
    /** Texts of markers, and when they were written. */
    final Map<String, Long> markers = new HashMap<>();

    private final Map<Long, String> names = new HashMap<>();
    private final Map<Long, String> tracks = new HashMap<>();
    private final Map<Long, Hop> open = new HashMap<>();
    private final List<UnknownFieldSet> events = new ArrayList<>();
    private final List<UnknownFieldSet> callEvents = new ArrayList<>();

    private PerfettoFile() {}

    static PerfettoFile read(Path file) throws IOException {
        PerfettoFile trace = new PerfettoFile();
        for (UnknownFieldSet packet : messages(UnknownFieldSet.parseFrom(Files.readAllBytes(file)), 1)) {
            trace.readPacket(packet);
        }
        trace.pairCalls();
        trace.switches.sort(Comparator.comparingLong(Switch::ns));
        trace.events.sort(Comparator.comparingLong(packet -> number(packet, 8)));
        for (UnknownFieldSet packet : trace.events) {
            trace.readEvent(number(packet, 8), messages(packet, 11).get(0));
        }
        return trace;
    }

    private void readPacket(UnknownFieldSet packet) throws IOException {
        for (UnknownFieldSet interned : messages(packet, 12)) {
            for (UnknownFieldSet name : messages(interned, 2)) {
                names.put(number(name, 1), text(name, 2));
            }
        }
        for (UnknownFieldSet track : messages(packet, 60)) {
            tracks.put(number(track, 1), text(track, 2));
        }
        for (UnknownFieldSet bundle : messages(packet, 1)) {
            for (UnknownFieldSet event : messages(bundle, 2)) {
                readKernelEvent((int) number(bundle, 1), event);
            }
        }
        if (packet.hasField(11)) {
            events.add(packet);
        }
    }

    private void readKernelEvent(int cpu, UnknownFieldSet event) throws IOException {
        if (event.hasField(329) || event.hasField(330)) {
            callEvents.add(event);
        }
        for (UnknownFieldSet fields : messages(event, 4)) {
            switches.add(new Switch(cpu, number(event, 1), number(fields, 2), number(fields, 4), number(fields, 6)));
        }
    }

    private void pairCalls() throws IOException {
        Map<Long, Call> entered = new HashMap<>();
        callEvents.sort(Comparator.comparingLong(event -> number(event, 1)));
        for (UnknownFieldSet event : callEvents) {
            long tid = number(event, 2);
            if (event.hasField(329)) {
                long id = number(messages(event, 329).get(0), 1);
                entered.put(tid, new Call(tid, id, number(event, 1), Long.MAX_VALUE));
            } else {
                Call call = entered.remove(tid);
                calls.add(new Call(tid, call.number, call.begin, number(event, 1)));
            }
        }
    }

    private void readEvent(long ns, UnknownFieldSet event) {
        long track = number(event, 11);
        String name = event.hasField(10) ? names.get(number(event, 10)) : text(event, 23);
        switch ((int) number(event, 9)) {
            case 1 -> {
                List<Long> flows = event.getField(47).getFixed64List();
                open.put(track, new Hop(flows.isEmpty() ? 0 : flows.get(0), name, ns, ns));
            }
            case 2 -> {
                Hop begun = open.remove(track);
                hops.add(new Hop(begun.flow, begun.name, begun.begin, ns));
            }
            case 3 -> readInstant(ns, event, name);
            default -> values.add(new Value(tracks.get(track), ns, number(event, 30)));
        }
    }

    private void readInstant(long ns, UnknownFieldSet event, String name) {
        if (event.hasField(48)) {
            hops.add(new Hop(event.getField(48).getFixed64List().get(0), name, ns, ns));
        } else if (event.hasField(23)) {
            markers.put(name, ns);
        }
    }

    private static List<UnknownFieldSet> messages(UnknownFieldSet message, int field)
            throws InvalidProtocolBufferException {
        List<UnknownFieldSet> messages = new ArrayList<>();
        for (ByteString bytes : message.getField(field).getLengthDelimitedList()) {
            messages.add(UnknownFieldSet.parseFrom(bytes));
        }
        return messages;
    }

    private static long number(UnknownFieldSet message, int field) {
        return message.getField(field).getVarintList().get(0);
    }

    private static String text(UnknownFieldSet message, int field) {
        List<ByteString> values = message.getField(field).getLengthDelimitedList();
        return values.isEmpty() ? "" : values.get(0).toStringUtf8();
    }
}
