// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;

/** What there is, in words. Stateless. */
final class Help {
    private static final String SORTS =
            "0 handlers, 1 filters, 2 metrics that QUERY_MAPPER gives, 3 events, 4 handlers of" + " this connection";
    private static final String FILTERS =
            "The event has to have all that is given: event, its number; pid, the process;"
                    + " id, the lower half of the abstract id";
    private static final Map<String, String> ABOUT = Map.of(
            ClientHandler.Kind.COUNT.label(),
            "TAU_count: how many events. QUERY_HANDLER gives u32 count.",
            ClientHandler.Kind.SCHEDULING.label(),
            "process_scheduling [pid=N]: CPU time and switches, of a process or all. QUERY_HANDLER gives u64 total_time, u64"
                    + " cpu_speed, u16 ncpu and 2 bytes, and for each CPU double switches, u64 time_busy, u64 time_sched;"
                    + " times in ticks of 1/cpu_speed s.",
            ClientHandler.Kind.BANDWIDTH.label(),
            "bandwidth [SECONDS]: bytes per second through sockets. QUERY_HANDLER gives doubles send and receive since the"
                    + " start, send and receive in the last whole block of SECONDS, start of the present block (s since 1970),"
                    + " u32 number of the present block, u32 lost events.",
            ClientHandler.Kind.TCP_BANDWIDTH.label(),
            "tcpbandwidth [SECONDS]: as bandwidth, of TCP only.",
            ClientHandler.Kind.ACCUMULATOR.label(),
            "accumulator: bytes of events, added up. QUERY_HANDLER gives u64 sum.",
            EventFilter.Kind.PROCESS.label(),
            "process_filter [event=N] [id=N] [pid=N]. " + FILTERS + ".",
            EventFilter.Kind.SOCKET.label(),
            "socket_filter [event=N] [id=N] [pid=N] [sid=N]: for events of sockets. " + FILTERS
                    + "; sid, the lower half of the socket's cookie, which ss -e shows.");

    private Help() {}

    /** What is said of a name; of all if it is empty or nothing is known of it. */
    static String about(String name, Optional<MetricSnapshot> metrics) {
        String text = ABOUT.get(name);
        if (text != null) {
            return text;
        }
        return metrics(metrics).stream()
                .filter(metric -> metric.name().equals(name))
                .map(metric -> metric.name() + " (" + metric.unit() + "): " + metric.description())
                .findFirst()
                .orElse("magnetd. Handlers: " + String.join(", ", handlers()) + ". Filters: "
                        + String.join(", ", filters()) + ". GET lists " + SORTS + ".");
    }

    static boolean isText(Metric metric) {
        return metric.type() == ValueType.STRING;
    }

    /**
     * Puts a list, a line each, as many whole lines as there is room for, and NUL.
     *
     * @param options u8 which list; perhaps u32 number of the line to begin with
     */
    static void list(
            ByteBuffer options,
            SortedMap<Integer, ClientHandler> handlers,
            Optional<MetricSnapshot> metrics,
            ByteBuffer into)
            throws RefusedException {
        int sort = options.hasRemaining() ? options.get() : 0;
        long first = options.remaining() < Integer.BYTES ? 0 : Integer.toUnsignedLong(options.getInt());
        List<String> lines = lines(sort, handlers, metrics);
        for (String line : lines.subList((int) Math.min(first, lines.size()), lines.size())) {
            byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
            if (bytes.length >= into.remaining()) {
                break;
            }
            into.put(bytes);
        }
        into.put((byte) 0);
    }

    private static List<String> lines(
            int sort, SortedMap<Integer, ClientHandler> handlers, Optional<MetricSnapshot> metrics)
            throws RefusedException {
        return switch (sort) {
            case 0 -> handlers();
            case 1 -> filters();
            case 2 ->
                metrics(metrics).stream()
                        .map(metric -> metric.name() + " " + metric.unit())
                        .toList();
            case 3 -> EventNumber.lines();
            case 4 -> own(handlers);
            default -> throw new RefusedException("GET lists " + SORTS);
        };
    }

    private static List<String> own(SortedMap<Integer, ClientHandler> handlers) {
        List<String> lines = new ArrayList<>();
        handlers.forEach(
                (number, handler) -> lines.add(number + " " + handler.kind().label() + " "
                        + (handler.isStarted() ? "started" : "stopped") + " "
                        + handler.filters().size() + " filters " + handler.lost() + " lost"));
        return lines;
    }

    private static List<String> handlers() {
        return Arrays.stream(ClientHandler.Kind.values())
                .map(ClientHandler.Kind::label)
                .toList();
    }

    private static List<String> filters() {
        return Arrays.stream(EventFilter.Kind.values())
                .map(EventFilter.Kind::label)
                .toList();
    }

    private static List<Metric> metrics(Optional<MetricSnapshot> snapshot) {
        List<Metric> metrics = new ArrayList<>();
        snapshot.ifPresent(values -> {
            for (int i = 0; i < values.size(); i++) {
                metrics.add(values.metric(i));
            }
        });
        return metrics;
    }
}
