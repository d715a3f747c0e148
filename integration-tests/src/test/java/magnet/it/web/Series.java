// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;

/**
 * One series of a graph.
 *
 * @param label what the legend calls it
 * @param colour 0xRRGGBB
 * @param values those of its points that are known, in the graph's unit
 */
record Series(String label, int colour, List<Double> values) {
    private static final int HEX = 16;

    /** What {@code graph.php} answers with {@code json=1}; none if it knows no series. */
    static List<Series> parse(String json) {
        List<Series> all = new ArrayList<>();
        JsonElement parsed = JsonParser.parseString(json);
        if (parsed.isJsonArray()) {
            parsed.getAsJsonArray().forEach(each -> all.add(of(each.getAsJsonObject())));
        }
        return all;
    }

    private static Series of(JsonObject json) {
        List<Double> values = new ArrayList<>();
        for (JsonElement point : json.getAsJsonArray("datapoints")) {
            JsonArray pair = point.getAsJsonArray();
            double value = pair.get(0).getAsDouble();
            if (!Double.isNaN(value)) {
                values.add(value);
            }
        }
        int colour = Integer.parseInt(json.get("color").getAsString().substring(1), HEX);
        return new Series(json.get("metric_name").getAsString(), colour, values);
    }

    /** The newest of its values. */
    List<Double> latest(int count) {
        return values.subList(Math.max(0, values.size() - count), values.size());
    }

    /** Whether anything of it is above zero. */
    boolean isSeen() {
        return values.stream().anyMatch(value -> value > 0);
    }
}
