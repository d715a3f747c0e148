// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
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
import magnet.publish.AskingPeer;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class SupermonSinkCompatibilityTest extends SinkCompatibilityKit {
    private static final String SENSORS = "0xffffff000S";

    /** Asks for a sample. While it stalls it asks and takes nothing. */
    private static final class Client extends AskingPeer {
        private SupermonSink sink;

        @Override
        protected Optional<InetSocketAddress> listening() {
            return sink.listening();
        }

        @Override
        protected String stallingRequest() {
            return SENSORS.repeat(1_000);
        }

        @Override
        protected Optional<String> ask(InetSocketAddress address) throws IOException {
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write((SENSORS + "Q").getBytes(StandardCharsets.US_ASCII));
                return Optional.of(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            }
        }

        /** A sample has no order and no units of its own; the catalogue's stand for them. */
        @Override
        protected List<Told> told(String answer) {
            Map<String, String> values = new HashMap<>();
            for (Object category : SexpParser.list(answer)) {
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
