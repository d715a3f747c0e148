// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.trace.PacketHeaders;
import magnet.trace.TraceClock;
import magnet.trace.TraceReader;

/** Names the packets that contradict the clocks: reads the senders' traces once more, up to them. For one run. */
final class ViolationText {
    /** More lines than that help nobody. */
    private static final int MOST = 10;

    private static final double NANOS_PER_MICRO = 1_000;

    private final RunTraces traces;
    private final List<NodeTrace> nodes;

    ViolationText(RunTraces traces, List<NodeTrace> nodes) {
        this.traces = traces;
        this.nodes = nodes;
    }

    List<String> of(List<Violation> violations) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Violation each : violations.subList(0, Math.min(MOST, violations.size()))) {
            lines.add(line(each));
        }
        if (violations.size() > MOST) {
            lines.add("and so between " + (violations.size() - MOST) + " more pairs of nodes");
        }
        return lines;
    }

    private String line(Violation violation) throws IOException {
        String sender = nodes.get(violation.sender()).name();
        String receiver = nodes.get(violation.receiver()).name();
        return String.format(
                Locale.ROOT,
                "%s > %s: a packet was received %.3f us before it was sent, at %d ns on %s: %s%s",
                sender,
                receiver,
                violation.byNs() / NANOS_PER_MICRO,
                violation.sentNs(),
                sender,
                packet(violation, sender),
                violation.count() == 1 ? "" : "; so were " + (violation.count() - 1) + " more of this pair");
    }

    private String packet(Violation violation, String sender) throws IOException {
        try (TraceReader trace =
                TraceReader.open(Objects.requireNonNull(traces.traces().get(sender)))) {
            Search search = new Search(nodes.get(violation.sender()).clock(), violation.sentNs());
            trace.read(search, () -> !search.found.isEmpty());
            return search.found;
        }
    }

    /** Looks for what was sent at an instant. */
    private static final class Search implements RecordHandler {
        private final TraceClock clock;
        private final long sentNs;
        private final PacketKey key = new PacketKey();
        private String found = "";

        Search(TraceClock clock, long sentNs) {
            this.clock = clock;
            this.sentNs = sentNs;
        }

        @Override
        public void onRecord(RecordFlyweight record) {
            if (record.event() == EventType.NET_DEV_START_XMIT.id()
                    && clock.realtimeNs(record.timer()) == sentNs
                    && TracePackets.key(key, record) == null) {
                found = describe(key.headers());
            }
        }

        private static String describe(PacketHeaders headers) {
            String protocol = switch (headers.protocol()) {
                case 6 -> "TCP";
                case 17 -> "UDP";
                default -> "protocol " + headers.protocol();
            };
            return protocol + " " + end(headers.sourceHigh(), headers.sourceLow(), headers.sourcePort()) + " > "
                    + end(headers.destinationHigh(), headers.destinationLow(), headers.destinationPort());
        }

        private static String end(long high, long low, int port) {
            byte[] address = ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(high)
                    .putLong(low)
                    .array();
            try {
                return InetAddress.getByAddress(address).getHostAddress() + (port == 0 ? "" : "." + port);
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
