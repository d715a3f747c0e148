// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import magnet.publish.AskingPeer;
import magnet.publish.Sink;
import magnet.publish.SinkCompatibilityKit;

class OpenMetricsSinkCompatibilityTest extends SinkCompatibilityKit {

    /** Fetches the page, whose bytes are kept as they are. While it stalls it holds a request half sent. */
    private static final class Scraper extends AskingPeer {
        private final HttpClient client = HttpClient.newHttpClient();
        private OpenMetricsSink sink;

        @Override
        protected Optional<InetSocketAddress> listening() {
            return sink.listening();
        }

        @Override
        protected String stallingRequest() {
            return "GET /metrics HTTP/1.1\r\nHost:";
        }

        @Override
        protected Optional<String> ask(InetSocketAddress address) throws IOException {
            HttpRequest request = HttpRequest.newBuilder(URI.create(OpenMetricsSink.url(address)))
                    .header("Accept", "application/openmetrics-text; version=1.0.0")
                    .timeout(Duration.ofSeconds(60))
                    .build();
            try {
                HttpResponse<String> answer =
                        client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
                return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        /** Families have no order of their own, so the catalogue's stands for it; and its units for the base units. */
        @Override
        protected List<Told> told(String answer) {
            Map<String, OpenMetricsText.Family> families =
                    OpenMetricsText.parse(answer.getBytes(StandardCharsets.ISO_8859_1));
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
    }

    @Override
    protected Peer startPeer() {
        return new Scraper();
    }

    @Override
    protected Sink newSink(Peer to, LongSupplier nanoClock) {
        OpenMetricsSink sink = new OpenMetricsSink(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), INTERVAL_SECONDS, nanoClock, () -> {});
        ((Scraper) to).sink = sink;
        return sink;
    }
}
