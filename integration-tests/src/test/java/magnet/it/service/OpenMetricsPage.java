// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;

/** A page of magnetd's, fetched in a guest by curl and read by Prometheus' own parser for Python. Immutable. */
record OpenMetricsPage(Map<String, Family> families) {
    static final String URL = "http://127.0.0.1:9464/metrics";
    static final String OPENMETRICS = "application/openmetrics-text; version=1.0.0";

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String READ_OPENMETRICS = "prometheus_client.openmetrics.parser";
    private static final String READ_TEXT = "prometheus_client.parser";
    /** A line feed is the only end of a line, in a page as elsewhere in Unix. */
    private static final String READ = """
            import json, sys
            from %s import text_fd_to_metric_families as families
            page = open("/tmp/page", encoding="utf-8", newline="\\n")
            json.dump([{"name": f.name, "type": f.type, "unit": f.unit, "help": f.documentation,
                        "samples": [{"name": s.name, "labels": s.labels, "value": s.value} for s in f.samples]}
                       for f in families(page)], sys.stdout)
            """;

    /**
     * A family.
     *
     * @param samples values by labels
     */
    record Family(String name, String type, String unit, String help, Map<Map<String, String>, Double> samples) {
        Family {
            samples = Map.copyOf(samples);
        }

        /** The only value, of a family without labels. */
        double value() {
            return Optional.ofNullable(samples.get(Map.of())).orElseThrow();
        }
    }

    OpenMetricsPage {
        families = Map.copyOf(families);
    }

    /** Fetches one as OpenMetrics; fails if there is none, or one that the parser refuses. */
    static OpenMetricsPage fetch(Guest guest) {
        return fetch(guest, OPENMETRICS, READ_OPENMETRICS);
    }

    /** Fetches one as text. */
    static OpenMetricsPage fetchText(Guest guest) {
        return fetch(guest, "text/plain", READ_TEXT);
    }

    private static OpenMetricsPage fetch(Guest guest, String accept, String parser) {
        save(guest, accept);
        return read(guest, parser);
    }

    /** Fetches one, to be read later: that takes its time. */
    static void save(Guest guest) {
        save(guest, OPENMETRICS);
    }

    /** Reads what was saved. */
    static OpenMetricsPage read(Guest guest) {
        return read(guest, READ_OPENMETRICS);
    }

    private static void save(Guest guest, String accept) {
        guest.run(LIMIT, "curl", "-sSf", "--max-time", "30", "-H", "Accept: " + accept, "-o", "/tmp/page", URL)
                .orFail();
    }

    private static OpenMetricsPage read(Guest guest, String parser) {
        GuestProcess python = guest.start(READ.formatted(parser), List.of("/usr/bin/python3", "-"));
        return parse(python.waitFor(LIMIT).orFail().stdout());
    }

    private static OpenMetricsPage parse(String json) {
        Map<String, Family> families = new LinkedHashMap<>();
        for (JsonObject family : objects(JsonParser.parseString(json).getAsJsonArray())) {
            Map<Map<String, String>, Double> samples = new LinkedHashMap<>();
            for (JsonObject sample : objects(family.getAsJsonArray("samples"))) {
                Map<String, String> labels = new LinkedHashMap<>();
                sample.getAsJsonObject("labels")
                        .entrySet()
                        .forEach(label ->
                                labels.put(label.getKey(), label.getValue().getAsString()));
                samples.put(labels, sample.get("value").getAsDouble());
            }
            String name = family.get("name").getAsString();
            families.put(
                    name,
                    new Family(
                            name,
                            family.get("type").getAsString(),
                            family.get("unit").getAsString(),
                            family.get("help").getAsString(),
                            samples));
        }
        return new OpenMetricsPage(families);
    }

    private static List<JsonObject> objects(JsonArray array) {
        List<JsonObject> objects = new ArrayList<>();
        for (JsonElement element : array) {
            objects.add(element.getAsJsonObject());
        }
        return objects;
    }

    /** The family of this name. */
    Family family(String name) {
        return Optional.ofNullable(families.get(name)).orElseThrow(() -> new AssertionError("no family " + name));
    }
}
