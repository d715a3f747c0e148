// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One aggregate graph of a view's JSON file.
 *
 * @param title what stands above it
 * @param hosts regular expression of the hosts in it
 * @param metrics regular expression of the metrics in it
 * @param type line or stack
 * @param unit what stands beside its axis
 * @param size its size, and what values are multiplied with, as the front end passes it on
 */
record ViewGraph(String title, String hosts, String metrics, String type, String unit, String size) {
    static List<ViewGraph> read(Path view) throws IOException {
        List<ViewGraph> graphs = new ArrayList<>();
        JsonObject json = JsonParser.parseString(Files.readString(view)).getAsJsonObject();
        json.getAsJsonArray("items").forEach(item -> graphs.add(of(item.getAsJsonObject())));
        return graphs;
    }

    private static ViewGraph of(JsonObject item) {
        return new ViewGraph(
                item.get("title").getAsString(),
                regex(item.get("host_regex")),
                regex(item.get("metric_regex")),
                item.get("graph_type").getAsString(),
                item.get("vertical_label").getAsString(),
                item.has("size") ? item.get("size").getAsString() : "large");
    }

    private static String regex(JsonElement list) {
        return list.getAsJsonArray().get(0).getAsJsonObject().get("regex").getAsString();
    }

    /** Its address, as the front end puts it together for the page of the view, of the last five minutes. */
    String path() {
        return "graph.php?hreg%5B%5D=" + encoded(hosts) + "&mreg%5B%5D=" + encoded(metrics) + "&z=" + size + "&gtype="
                + type + "&vl=" + encoded(unit) + "&title=" + encoded(title) + "&aggregate=1&r=5min";
    }

    /** The metric that it is about. */
    String metric() {
        return metrics.replaceAll("[$^]", "");
    }

    @Override
    public String toString() {
        return title;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
