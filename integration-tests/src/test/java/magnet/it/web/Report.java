// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import magnet.metric.Metric;
import magnet.metric.Metrics;

/**
 * A report's JSON file.
 *
 * @param metrics what it draws
 * @param colours the colour of each, 0xRRGGBB
 * @param labels what the legend calls each
 */
record Report(List<Metric> metrics, List<Integer> colours, List<String> labels) {
    private static final int HEX = 16;

    static Report read(Path folder, String name) throws IOException {
        String json = Files.readString(folder.resolve(name + ".json"));
        List<Metric> metrics = new ArrayList<>();
        List<Integer> colours = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (JsonElement each : JsonParser.parseString(json).getAsJsonObject().getAsJsonArray("series")) {
            JsonObject series = each.getAsJsonObject();
            metrics.add(Metrics.named(series.get("metric").getAsString()).orElseThrow());
            colours.add(Integer.parseInt(series.get("color").getAsString(), HEX));
            labels.add(series.get("label").getAsString());
        }
        return new Report(metrics, colours, labels);
    }

    /** The colours of what the default level publishes. */
    List<Integer> coloursAtDefaultLevel() {
        List<Integer> some = new ArrayList<>();
        for (int i = 0; i < metrics.size(); i++) {
            if (Metrics.DEFAULT.contains(metrics.get(i))) {
                some.add(colours.get(i));
            }
        }
        return some;
    }
}
