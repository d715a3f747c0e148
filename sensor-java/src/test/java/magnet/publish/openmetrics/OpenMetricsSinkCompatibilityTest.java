// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class OpenMetricsSinkCompatibilityTest extends SinkCompatibilityKit {

    /** Fetches the page each time that it is asked what it was told. While it stalls it holds a request half sent. */
    private static final class Scraper implements Peer {
        private final HttpClient client = HttpClient.newHttpClient();
        private OpenMetricsSink sink;
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
            HttpRequest request = HttpRequest.newBuilder(URI.create(OpenMetricsSink.url(listening.orElseThrow())))
                    .header("Accept", "application/openmetrics-text; version=1.0.0")
                    .timeout(Duration.ofSeconds(60))
                    .build();
            try {
                HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                String page = new String(answer.body(), StandardCharsets.UTF_8);
                boolean same = page.equals(seen);
                seen = page;
                return answer.statusCode() != 200 || same ? List.of() : told(OpenMetricsText.parse(answer.body()));
            } catch (ConnectException e) {
                return List.of();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        /** Families have no order of their own, so the catalogue's stands for it; and its units for the base units. */
        private static List<Told> told(Map<String, OpenMetricsText.Family> families) {
            List<Told> told = new ArrayList<>();
            for (Metric metric : Metrics.ALL) {
                boolean percent = metric.name().endsWith("_percent");
                String stem = percent ? metric.name().replaceAll("_percent$", "") : metric.name();
                for (String unit : List.of("seconds", "ratio", "bytes", "")) {
                    OpenMetricsText.Family family = families.get(unit.isEmpty() ? stem : stem + "_" + unit);
                    if (family != null && family.unit().equals(unit)) {
                        boolean micros =
                                unit.equals("seconds") && !metric.unit().equals("s");
                        String told1 = micros ? "us" : percent ? "%" : unit.equals("seconds") ? "s" : unit;
                        told.add(Told.description(metric.name(), unit.isEmpty() ? metric.unit() : told1));
                        BigDecimal value = family.value().movePointRight(micros ? 6 : percent ? 2 : 0);
                        told.add(Told.value(metric.name(), value.doubleValue()));
                    }
                }
            }
            return told;
        }

        @Override
        public void stall() {
            try {
                InetSocketAddress address = sink.listening().orElseThrow();
                stalled = new Socket(address.getAddress(), address.getPort());
                stalled.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost:".getBytes(StandardCharsets.US_ASCII));
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
        return new Scraper();
    }

    @Override
    protected Sink newSink(Peer to, LongSupplier nanoClock) {
        OpenMetricsSink sink = new OpenMetricsSink(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), INTERVAL_SECONDS, nanoClock);
        ((Scraper) to).sink = sink;
        return sink;
    }
}
