// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import magnet.json.Json;
import magnet.trace.TraceClock;

/**
 * The form of {@code sync.json}, which docs/cluster.md describes. Instants and offsets are texts: a number of JSON need not have
 * as many digits. Stateless.
 */
final class ClockJson {
    /** Who knows this one can't read files of a later one. */
    private static final int VERSION = 1;

    private ClockJson() {}

    static Map<String, Object> of(ClusterClocks clocks) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("version", VERSION);
        all.put("run", clocks.run());
        all.put("reference", clocks.reference());
        Map<String, Object> nodes = new LinkedHashMap<>();
        clocks.nodes().forEach((name, clock) -> nodes.put(name, node(clock)));
        all.put("nodes", nodes);
        all.put("pairs", clocks.pairs().stream().map(ClockJson::pair).toList());
        all.put("matched", clocks.matched());
        all.put("left_out", clocks.leftOut());
        all.put("sampled", clocks.sampled());
        all.put("violations", clocks.violations());
        return all;
    }

    private static Map<String, Object> node(NodeClock clock) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("clock", clock.clock().description());
        fields.put("ticks_per_second", Long.toString(clock.clock().ticksPerSecond()));
        fields.put("origin_s", Long.toString(clock.clock().offsetSeconds()));
        fields.put("origin_ticks", Long.toString(clock.clock().offsetTicks()));
        fields.put("from_ns", Long.toString(clock.fromNs()));
        fields.put("to_ns", Long.toString(clock.toNs()));
        fields.put("offset_from_ns", Long.toString(clock.offsetFromNs()));
        fields.put("offset_to_ns", Long.toString(clock.offsetToNs()));
        fields.put("half_widths_ns", clock.halfWidthsNs());
        fields.put("beyond_ppm", clock.beyondPpm());
        return fields;
    }

    private static Map<String, Object> pair(ClockPair pair) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("nodes", List.of(pair.first(), pair.second()));
        fields.put("matched", List.of(pair.matchedForth(), pair.matchedBack()));
        fields.put("disciplined", pair.disciplined());
        fields.put("bounded", pair.bounded());
        if (pair.bounded()) {
            fields.put("half_width_ns", pair.halfWidthNs());
            fields.put("from_ns", Long.toString(pair.fromNs()));
            fields.put("to_ns", Long.toString(pair.toNs()));
            fields.put("offset_from_ns", Long.toString(pair.offsetFromNs()));
            fields.put("offset_to_ns", Long.toString(pair.offsetToNs()));
            fields.put("slope_min", pair.slopeMin());
            fields.put("slope_max", pair.slopeMax());
            fields.put("half_widths_ns", pair.halfWidthsNs());
            fields.put("aligned_within_ns", pair.alignedWithinNs());
        }
        fields.put("tree", pair.tree());
        fields.put("violations", pair.violations());
        return fields;
    }

    static void write(Path file, ClusterClocks clocks) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(fresh, clocks.json() + "\n");
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
    }

    static ClusterClocks read(Path file) throws IOException {
        Map<String, Object> all;
        try {
            all = Json.object(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw unknown(file, e);
        }
        if (!Double.valueOf(VERSION).equals(all.get("version"))) {
            throw new IOException(file + ": it is not of version " + VERSION
                    + ", which this magnet knows; let magnet cluster sync write it anew");
        }
        try {
            Map<String, NodeClock> nodes = new LinkedHashMap<>();
            map(all, "nodes").forEach((name, fields) -> nodes.put((String) name, readNode((Map<?, ?>) fields)));
            List<ClockPair> pairs = new ArrayList<>();
            list(all, "pairs").forEach(fields -> pairs.add(readPair((Map<?, ?>) fields)));
            Map<String, Long> leftOut = new LinkedHashMap<>();
            map(all, "left_out").forEach((why, count) -> leftOut.put((String) why, ((Double) count).longValue()));
            return new ClusterClocks(
                    text(all, "run"), text(all, "reference"), nodes, pairs, leftOut, (int) number(all, "sampled"));
        } catch (IllegalArgumentException | ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
            throw unknown(file, e);
        }
    }

    private static IOException unknown(Path file, Exception cause) {
        return new IOException(
                file + ": it says nothing of clocks that can be understood; let magnet cluster sync write it anew",
                cause);
    }

    private static NodeClock readNode(Map<?, ?> fields) {
        return new NodeClock(
                new TraceClock(
                        text(fields, "clock"),
                        nanos(fields, "ticks_per_second"),
                        nanos(fields, "origin_s"),
                        nanos(fields, "origin_ticks")),
                nanos(fields, "from_ns"),
                nanos(fields, "to_ns"),
                nanos(fields, "offset_from_ns"),
                nanos(fields, "offset_to_ns"),
                numbers(fields, "half_widths_ns"),
                number(fields, "beyond_ppm"));
    }

    private static ClockPair readPair(Map<?, ?> fields) {
        List<?> nodes = list(fields, "nodes");
        List<Double> matched = numbers(fields, "matched");
        boolean bounded = is(fields, "bounded");
        return new ClockPair(
                (String) nodes.get(0),
                (String) nodes.get(1),
                matched.get(0).longValue(),
                matched.get(1).longValue(),
                is(fields, "disciplined"),
                bounded,
                bounded ? nanos(fields, "from_ns") : 0,
                bounded ? nanos(fields, "to_ns") : 0,
                bounded ? nanos(fields, "offset_from_ns") : 0,
                bounded ? nanos(fields, "offset_to_ns") : 0,
                bounded ? number(fields, "slope_min") : 0,
                bounded ? number(fields, "slope_max") : 0,
                bounded ? numbers(fields, "half_widths_ns") : List.of(),
                bounded ? number(fields, "aligned_within_ns") : 0,
                is(fields, "tree"),
                (long) number(fields, "violations"));
    }

    private static String text(Map<?, ?> all, String key) {
        return (String) Objects.requireNonNull(all.get(key), key);
    }

    private static long nanos(Map<?, ?> all, String key) {
        return Long.parseLong(text(all, key));
    }

    private static double number(Map<?, ?> all, String key) {
        return (Double) Objects.requireNonNull(all.get(key), key);
    }

    private static boolean is(Map<?, ?> all, String key) {
        return (Boolean) Objects.requireNonNull(all.get(key), key);
    }

    private static Map<?, ?> map(Map<?, ?> all, String key) {
        return (Map<?, ?>) Objects.requireNonNull(all.get(key), key);
    }

    private static List<?> list(Map<?, ?> all, String key) {
        return (List<?>) Objects.requireNonNull(all.get(key), key);
    }

    private static List<Double> numbers(Map<?, ?> all, String key) {
        return list(all, key).stream().map(Double.class::cast).toList();
    }
}
