// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class SupermonSinkCompatibilityTest extends SinkCompatibilityKit {
    private static final String SENSORS = "0xffffff000S";

    /** Asks for a sample each time that it is asked what it was told. While it stalls it asks and takes nothing. */
    private static final class Client implements Peer {
        private SupermonSink sink;
        private Socket stalled;
        private String seen = "";

        @Override
        public boolean fetches() {
            return true;
        }

        @Override
        public List<Told> take() throws IOException {
            Optional<InetSocketAddress> listening = sink.listening();
            if (stalled != null || listening.isEmpty()) {
                return List.of();
            }
            InetSocketAddress address = listening.orElseThrow();
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write((SENSORS + "Q").getBytes(StandardCharsets.US_ASCII));
                ByteArrayOutputStream answer = new ByteArrayOutputStream();
                socket.getInputStream().transferTo(answer);
                String sample = answer.toString(StandardCharsets.UTF_8);
                boolean same = sample.equals(seen);
                seen = sample;
                return same ? List.of() : told(SexpParser.list(sample));
            } catch (ConnectException e) {
                return List.of();
            }
        }

        /** A sample has no order and no units of its own; the catalogue's stand for them. */
        private static List<Told> told(List<Object> sample) {
            Map<String, String> values = new HashMap<>();
            for (Object category : sample) {
                for (Object variable : variables((List<?>) ((List<?>) category).get(4))) {
                    values.put((String) ((List<?>) variable).get(0), (String) ((List<?>) variable).get(1));
                }
            }
            List<Told> told = new ArrayList<>();
            for (Metric metric : Metrics.ALL) {
                String value = values.get(metric.name());
                if (value != null && metric.type() != ValueType.STRING) {
                    told.add(Told.description(metric.name(), metric.unit()));
                    told.add(Told.value(metric.name(), Double.parseDouble(value)));
                }
            }
            return told;
        }

        private static List<?> variables(List<?> data) {
            return data.get(0) instanceof List ? data : List.of(data);
        }

        @Override
        public void stall() {
            try {
                InetSocketAddress address = sink.listening().orElseThrow();
                stalled = new Socket(address.getAddress(), address.getPort());
                stalled.getOutputStream().write(SENSORS.repeat(1_000).getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void proceed() {
            try {
                stalled.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            stalled = null;
        }

        /** It holds nothing between two requests, and remembers nothing. */
        @Override
        public void close() {
            seen = "";
        }

        @Override
        public void startAgain() {
            seen = "";
        }
    }

    @Override
    protected Peer startPeer() {
        return new Client();
    }

    @Override
    protected Sink newSink(Peer to, LongSupplier nanoClock) {
        SupermonSink sink = new SupermonSink(
                new SupermonSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        InetAddress::isLoopbackAddress,
                        64,
                        ReplyFormat.LANL),
                INTERVAL_SECONDS,
                nanoClock);
        ((Client) to).sink = sink;
        return sink;
    }
}
