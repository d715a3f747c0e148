// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a viewer of a Perfetto trace is given: packets sorted by time, names looked up, slices from begin to end. The
 * numbers of the fields are those of Perfetto's {@code .proto} files, written down here a second time.
 */
final class Shown {
    /** An interval on a track. */
    record Slice(
            String track, long uuid, String name, long begin, long end, List<Long> flows, Map<String, Object> notes) {}

    /** A moment on a track. */
    record Instant(String track, String name, long ns, List<Long> ended, Map<String, Object> notes) {}

    /** A counter's value from a moment on. */
    record Value(String track, long ns, long value) {}

    /** An event of the kernel's own tracer; {@code kind} is the number of its field. */
    record Kernel(int cpu, long ns, long tid, int kind, Decoded fields) {}

    final List<Decoded> packets;
    final List<Slice> slices = new ArrayList<>();
    final List<Instant> instants = new ArrayList<>();
    final List<Value> values = new ArrayList<>();
    final List<Kernel> kernel = new ArrayList<>();
    final List<Integer> lossy = new ArrayList<>();
    final List<Decoded> clocks = new ArrayList<>();
    /** Process by thread, and names of processes. */
    final Map<Long, Long> threads = new TreeMap<>();

    final Map<Long, String> processes = new TreeMap<>();
    final List<String> labels = new ArrayList<>();
    private final Map<Long, String> tracks = new HashMap<>();
    private final Map<Long, Long> parents = new HashMap<>();
    private final Map<Long, String> eventNames = new HashMap<>();
    private final Map<Long, String> noteNames = new HashMap<>();
    private final List<Decoded> events = new ArrayList<>();

    Shown(byte[] trace) {
        packets = Decoded.of(trace).all(1);
        for (Decoded packet : packets) {
            read(packet);
        }
        kernel.sort(Comparator.comparingLong(Kernel::ns));
        events.sort(Comparator.comparingLong(packet -> packet.number(8)));
        showEvents();
    }

    /** Kernel events of a kind, in the order of time. */
    List<Kernel> kernel(int kind) {
        return kernel.stream().filter(event -> event.kind == kind).toList();
    }

    List<Slice> slices(String track) {
        return slices.stream().filter(slice -> slice.track.equals(track)).toList();
    }

    private void read(Decoded packet) {
        if (packet.number(10) != 1) {
            throw new AssertionError("another sequence: " + packet);
        }
        for (Decoded interned : packet.all(12)) {
            interned.all(2).forEach(name -> eventNames.put(name.number(1), name.text(2)));
            interned.all(3).forEach(name -> noteNames.put(name.number(1), name.text(2)));
        }
        packet.all(60).forEach(this::describe);
        packet.all(6).forEach(clocks::add);
        packet.all(1).forEach(this::bundle);
        for (Decoded tree : packet.all(2)) {
            tree.all(1).forEach(process -> processes.put(process.number(1), process.text(3)));
            tree.all(2).forEach(thread -> threads.put(thread.number(1), thread.number(3)));
        }
        if (packet.has(11)) {
            events.add(packet);
        }
    }

    private void describe(Decoded track) {
        if (track.has(3)) {
            labels.add(track.at(3).number(1) + " " + track.at(3).text(8));
        }
        String name = track.has(4)
                ? "thread " + track.at(4).number(2) + " of " + track.at(4).number(1)
                : track.text(2);
        if (tracks.put(track.number(1), name) != null) {
            throw new AssertionError("described twice: " + track);
        }
        if (track.has(5)) {
            parents.put(track.number(1), track.number(5));
        }
    }

    private void bundle(Decoded bundle) {
        int cpu = (int) bundle.number(1);
        if (bundle.has(3)) {
            lossy.add(cpu);
        }
        for (Decoded event : bundle.all(2)) {
            int kind = event.fields().asMap().keySet().stream()
                    .filter(field -> field > 2)
                    .findFirst()
                    .orElseThrow();
            kernel.add(new Kernel(cpu, event.number(1), event.number(2), kind, event.at(kind)));
        }
    }

    private void showEvents() {
        Map<Long, Deque<Decoded>> open = new HashMap<>();
        for (Decoded packet : events) {
            Decoded event = packet.at(11);
            long uuid = event.number(11);
            String track = tracks.get(uuid);
            if (track == null || (parents.containsKey(uuid) && !tracks.containsKey(parents.get(uuid)))) {
                throw new AssertionError("no such track: " + packet);
            }
            Deque<Decoded> stack = open.computeIfAbsent(uuid, key -> new ArrayDeque<>());
            switch ((int) event.number(9)) {
                case 1 -> stack.push(packet);
                case 2 -> slices.add(slice(track, uuid, stack.pop(), packet.number(8)));
                case 3 ->
                    instants.add(new Instant(track, name(event), packet.number(8), event.fixed64s(48), notes(event)));
                case 4 -> values.add(new Value(track, packet.number(8), event.number(30)));
                default -> throw new AssertionError("type of " + packet);
            }
        }
        open.values().forEach(stack -> {
            if (!stack.isEmpty()) {
                throw new AssertionError("not ended: " + stack);
            }
        });
    }

    private Slice slice(String track, long uuid, Decoded begin, long end) {
        Decoded event = begin.at(11);
        return new Slice(track, uuid, name(event), begin.number(8), end, event.fixed64s(47), notes(event));
    }

    private String name(Decoded event) {
        return event.has(10) ? eventNames.get(event.number(10)) : event.text(23);
    }

    private Map<String, Object> notes(Decoded event) {
        Map<String, Object> notes = new TreeMap<>();
        for (Decoded note : event.all(4)) {
            notes.put(noteNames.get(note.number(1)), note.has(4) ? note.number(4) : note.text(6));
        }
        return notes;
    }
}
