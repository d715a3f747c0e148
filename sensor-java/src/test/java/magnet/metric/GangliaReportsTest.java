// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * Reports and views for Ganglia's web front end draw metrics of the catalogue, and in a way that says something true of
 * them. JSON is read as the YAML that it is, too.
 */
class GangliaReportsTest {
    private static final Path FOLDER = Path.of("..", "gmond-conf", "ganglia-web");
    /** What passes the front end's shell and rrdtool as it is: no parentheses, colons, quotes. */
    private static final String PLAIN_TEXT = "[A-Za-z0-9 ,./=-]+";

    /** With a host's name before it and the time range behind it, it has to fit above a graph of medium size. */
    private static final int LONGEST_TITLE = 24;

    /** The same, and what CSV does not take for the end of a name. */
    private static final String PLAIN_NAME = "[A-Za-z0-9 ./=-]*[A-Za-z0-9]";

    /** What passes beside the axis of a small graph. */
    private static final int LONGEST_AXIS_LABEL = 16;

    /** How far apart colours of a report have to be; in the reports of before there were 4. */
    private static final double APART = 28;

    private static final double APART_FOR_THE_COLOUR_BLIND = 17;
    private static final String SECONDS = "seconds, m = ms";
    /** What makes seconds of them, in figures that rrdtool takes. */
    private static final String MICROS = "0.000001";

    private static final String WHITE = "ffffff";

    private static final Set<String> STACKED = Set.of("stack", "area");

    static List<Path> reports() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER.resolve("graph.d"))) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldDrawMetricsOfTheCatalogueWhenShown(Path report) {
        assertThat(report.getFileName()).hasToString(read(report).get("report_name") + ".json");
        assertThat(text(read(report), "report_name")).endsWith("_report");
        for (Map<String, Object> series : series(report)) {
            assertThat(Metrics.named(text(series, "metric"))).as("%s", series).isPresent();
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveAPhpFileThatTheFrontEndCalls(Path report) throws IOException {
        String name = text(read(report), "report_name");
        assertThat(report.resolveSibling(name + ".php"))
                .content()
                .contains("function graph_" + name + "(&$rrdtool_graph)", "'/" + name + ".json'");
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldAddUpRatesOnlyWhenShownForACluster(Path report) {
        for (Map<String, Object> series : series(report)) {
            boolean hostsOnly = List.of("host").equals(series.get("contexts"));
            assertThat(hostsOnly).as("%s", series).isNotEqualTo(isRate(metric(series)));
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveTextsAndColoursThatTheFrontEndTakes(Path report) {
        Map<String, Object> content = read(report);
        assertThat(text(content, "title")).matches(PLAIN_TEXT).hasSizeLessThanOrEqualTo(LONGEST_TITLE);
        assertThat(text(content, "vertical_label")).matches(PLAIN_TEXT).hasSizeLessThanOrEqualTo(LONGEST_AXIS_LABEL);
        Set<String> colours = new HashSet<>();
        boolean line = false;
        for (Map<String, Object> series : series(report)) {
            assertThat(text(series, "label")).matches(PLAIN_NAME);
            assertThat(text(series, "color")).matches("[0-9a-f]{6}");
            assertThat(colours.add(text(series, "color")))
                    .as("%s twice", series)
                    .isTrue();
            boolean stacked = STACKED.contains(text(series, "type"));
            // rrdtool would stack on the line.
            assertThat(stacked && line).as("%s after a line", series).isFalse();
            line = !stacked;
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveColoursThatAreTold(Path report) {
        List<String> colours =
                series(report).stream().map(series -> text(series, "color")).toList();
        for (int i = 0; i < colours.size(); i++) {
            String one = colours.get(i);
            assertThat(ColourDistance.NORMAL.between(one, WHITE)).as(one).isGreaterThan(APART_FOR_THE_COLOUR_BLIND);
            for (String other : colours.subList(0, i)) {
                for (ColourDistance eyes : ColourDistance.values()) {
                    assertThat(eyes.between(one, other))
                            .as("%s, %s: %s", one, other, eyes)
                            .isGreaterThan(eyes == ColourDistance.NORMAL ? APART : APART_FOR_THE_COLOUR_BLIND);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveSecondsForAllTimesAndNothingElse(Path report) {
        Map<String, Object> content = read(report);
        boolean times =
                series(report).stream().anyMatch(series -> metric(series).unit().equals("us"));
        assertThat(series(report)).allMatch(series -> metric(series).unit().equals("us") == times);
        assertThat(text(content, "vertical_label").equals(SECONDS)).isEqualTo(times);
        assertThat(content.containsKey("scale")).isEqualTo(times);
        if (times) {
            assertThat(content).containsEntry("scale", MICROS).containsEntry("axis", "logarithmic");
        }
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldCallBucketsAsTheirMetricsDo(Path report) {
        assertThat(series(report))
                .filteredOn(series -> text(series, "metric").contains("_bucket"))
                .allSatisfy(series -> assertThat(metric(series).title()).endsWith(" " + text(series, "label")));
    }

    /** The first four are gmond's own; the order is that of the groups in the view, too. */
    @Test
    void shouldGoFromCpuToNetworkOnEachPage() {
        List<MetricGroup> order = List.of(
                MetricGroup.SCHEDULER,
                MetricGroup.INTERRUPTS,
                MetricGroup.MEMORY,
                MetricGroup.BLOCK,
                MetricGroup.JOURNEY,
                MetricGroup.NETWORK,
                MetricGroup.SENSOR);
        for (String file : List.of("default_host.json", "cluster.json")) {
            List<MetricGroup> groups = ((List<?>)
                            read(FOLDER.resolve("conf").resolve(file)).get("included_reports"))
                    .stream()
                            .map(Object::toString)
                            .filter(name -> name.startsWith("magnet_"))
                            .map(name -> metric(series(FOLDER.resolve("graph.d/" + name + ".json"))
                                            .get(0))
                                    .group())
                            .toList();
            assertThat(order).as(file).containsSubsequence(groups);
        }
        List<Integer> places = list(read(FOLDER.resolve("conf/view_magnet_cluster.json")), "items").stream()
                .map(item -> text(list(item, "metric_regex").get(0), "regex").replaceAll("[$^]", ""))
                .map(name -> order.indexOf(Metrics.named(name).orElseThrow().group()))
                .toList();
        assertThat(places).doesNotContain(-1).isSorted();
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveALineForEachNodeWhereASumMeansNothing(Path report) {
        List<Map<String, Object>> all = series(report);
        assertThat(all)
                .filteredOn(series -> series.containsKey("each_node"))
                .noneMatch(series -> isRate(metric(series)));
        if (all.stream().noneMatch(series -> isRate(metric(series)))) {
            assertThat(all).anyMatch(series -> series.containsKey("each_node"));
        }
    }

    /** So that the graph says why a line is missing, and nothing else. */
    @ParameterizedTest
    @MethodSource("reports")
    void shouldSayWhichLinesNeedLevelFullOrJobs(Path report) {
        for (Map<String, Object> series : series(report)) {
            assertThat("full".equals(series.get("level")) || "jobs".equals(series.get("group")))
                    .as("%s", series)
                    .isNotEqualTo(Metrics.DEFAULT.contains(metric(series)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"default_host.json", "cluster.json"})
    void shouldShowReportsThatAreThereAndDrawnAtTheDefaultLevel(String file) throws IOException {
        for (Object name : (List<?>) read(FOLDER.resolve("conf").resolve(file)).get("included_reports")) {
            if (name.toString().startsWith("magnet_")) {
                Path report = FOLDER.resolve("graph.d/" + name + ".json");
                assertThat(reports()).contains(report);
                assertThat(series(report).stream().map(GangliaReportsTest::metric))
                        .filteredOn(Metrics.DEFAULT::contains)
                        .hasSizeGreaterThanOrEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"view_magnet_cluster.json,SUMMARY", "view_magnet_jobs.json,JOBS"})
    void shouldStackRatesAndNothingElseWhenNodesAreAggregated(String view, String which) {
        List<Metric> drawn = which.equals("JOBS") ? JobMetrics.all() : Metrics.DEFAULT;
        for (Map<String, Object> item : list(read(FOLDER.resolve("conf").resolve(view)), "items")) {
            String regex = text(list(item, "metric_regex").get(0), "regex");
            List<Metric> matching = Metrics.ALL.stream()
                    .filter(metric -> metric.name().matches(regex))
                    .toList();
            assertThat(matching).as(regex).singleElement().matches(drawn::contains);
            assertThat(text(item, "graph_type")).as(regex).isEqualTo(isRate(matching.get(0)) ? "stack" : "line");
            assertThat(text(item, "title")).matches(PLAIN_TEXT);
            assertThat(text(item, "vertical_label")).matches(PLAIN_TEXT);
            boolean time = matching.get(0).unit().equals("us");
            assertThat(text(item, "vertical_label").equals(SECONDS)).as(regex).isEqualTo(time);
            // The front end has no key for a factor, but passes this one on as it is.
            assertThat(text(item, "size")).as(regex).isEqualTo(time ? "large&scale=" + MICROS : "null");
        }
    }

    private static boolean isRate(Metric metric) {
        return metric.unit().endsWith("/sec");
    }

    private static Metric metric(Map<String, Object> series) {
        return Metrics.named(text(series, "metric")).orElseThrow();
    }

    private static List<Map<String, Object>> series(Path report) {
        return list(read(report), "series");
    }

    private static String text(Map<String, Object> map, String key) {
        return String.valueOf(map.get(key));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> map, String key) {
        return (List<Map<String, Object>>) map.get(key);
    }

    private static Map<String, Object> read(Path file) {
        try {
            return new Yaml().load(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
