// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import magnet.it.demo.Demo;
import magnet.it.guest.Tree;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What can be said of the front end's pages without a guest, of values that are made up: no holes, texts that fit and do not
 * lie on each other, names without blanks, lines that show beneath others, an order. Pictures are kept in build/web/look.
 */
@Tag("web")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReportsLookIT {
    private static final Path REPORTS = Tree.root().resolve("gmond-conf/ganglia-web/graph.d");
    private static final Path CONF = Tree.root().resolve("gmond-conf/ganglia-web/conf");
    private static final Path RESULTS = Tree.build().resolve("web/look");
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Pattern REPORT_OF_PAGE = Pattern.compile("<img id=\"graph_img_(\\w+_report)\"");
    private static final Pattern METRIC_OF_PAGE = Pattern.compile("<div id=\"metric_(magnet_sched_\\w+)\"");

    /** Of one colour: more than smoothing leaves behind. */
    private static final int PIXELS = 15;
    /** Letters of rrdtool's own may touch: a title and the highest number of an axis. */
    private static final double TOUCHING = 2;

    /** What stands at the top of each page of the demo. */
    private static final int BANNER = 0xffe08a;

    private static final int PIXELS_OF_BANNER = 10_000;

    private static final int PAGE_WIDTH = 1280;
    private static final int PAGE_HEIGHT = 2000;

    private MadeUpCluster cluster;
    private FrontEnd frontEnd;

    @BeforeAll
    void start() throws IOException {
        Files.createDirectories(RESULTS);
        cluster = MadeUpCluster.start(RESULTS);
        frontEnd = FrontEnd.start(RESULTS, cluster.port());
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(page(MadeUpCluster.FULL).contains("mg_magnet_scheduler"))
                        .isTrue());
    }

    @AfterAll
    void end() throws IOException {
        if (frontEnd != null) {
            frontEnd.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    static List<String> reports() throws IOException {
        return ReportsShown.reports();
    }

    private String page(String host) throws IOException, InterruptedException {
        return frontEnd.get("?h=" + host + "&c=" + FrontEnd.CLUSTER + "&r=5min");
    }

    private static String graph(String report, String host, String size) {
        return "graph.php?g=" + report + "&h=" + host + "&c=" + FrontEnd.CLUSTER + "&r=5min&z=" + size;
    }

    private static String graphOfCluster(String report, String cluster, String size) {
        return "graph.php?g=" + report + "&c=" + cluster + "&r=5min&z=" + size;
    }

    private BufferedImage picture(String path, String name) throws IOException, InterruptedException {
        return ImageIO.read(frontEnd.save(path, RESULTS.resolve(name + ".png")).toFile());
    }

    @ParameterizedTest
    @ValueSource(strings = {"small", "medium", "default", "large", "xlarge", "xxlarge", "mobile"})
    void shouldHaveOneSizeWhateverIsDrawn(String size) throws IOException, InterruptedException {
        Set<String> sizes = new HashSet<>();
        for (String report : reports()) {
            for (String host : List.of(MadeUpCluster.FULL, MadeUpCluster.SUMMARY, MadeUpCluster.SILENT)) {
                sizes.add(size(picture(graph(report, host, size), "one-size")));
            }
            sizes.add(size(picture(graphOfCluster(report, FrontEnd.CLUSTER, size), "one-size")));
        }
        for (int nodes : MadeUpCluster.SIZES) {
            String many = graphOfCluster("magnet_scheduler_report", "of%20" + nodes, size);
            sizes.add(size(picture(many, "nodes-" + nodes + "-" + size)));
        }
        assertThat(sizes).hasSize(1);
    }

    private static String size(BufferedImage image) {
        return image.getWidth() + "x" + image.getHeight();
    }

    /**
     * A page puts pictures beside each other, and begins a row where there is room: below the highest of a row, if none in it
     * is lower than the one before it. Otherwise a hole is left.
     */
    @Test
    void shouldHaveNoLowerPictureBehindAHigherOneOnThePageOfAHost() throws IOException, InterruptedException {
        List<Integer> heights = new ArrayList<>();
        for (String report : includedIn("default_host.json")) {
            heights.add(picture(graph(report, MadeUpCluster.FULL, "medium"), "host-" + report)
                    .getHeight());
        }
        assertThat(heights).isSorted();
    }

    @Test
    void shouldHaveReportsInOneOrderOnThePagesOfHostAndCluster() throws IOException, InterruptedException {
        List<String> ofHost = includedIn("default_host.json");
        assertThat(REPORT_OF_PAGE.matcher(page(MadeUpCluster.FULL)).results().map(found -> found.group(1)))
                .containsExactlyElementsOf(ofHost);
        assertThat(ofHost).endsWith(includedIn("cluster.json").toArray(String[]::new));
    }

    private static List<String> includedIn(String file) throws IOException {
        List<String> reports = new ArrayList<>();
        JsonParser.parseString(Files.readString(CONF.resolve(file)))
                .getAsJsonObject()
                .getAsJsonArray("included_reports")
                .forEach(name -> reports.add(name.getAsString()));
        return reports;
    }

    @Test
    void shouldHaveMetricsOfAGroupInTheOrderOfTheirStatistics() throws IOException, InterruptedException {
        List<String> metrics = METRIC_OF_PAGE
                .matcher(
                        frontEnd.get("?h=" + MadeUpCluster.FULL + "&c=" + FrontEnd.CLUSTER + "&metric_group=ALLGROUPS"))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(metrics)
                .startsWith("magnet_sched_context_switches_rate")
                .containsSubsequence(
                        "magnet_sched_run_queue_wait_p50",
                        "magnet_sched_run_queue_wait_p95",
                        "magnet_sched_run_queue_wait_p99",
                        "magnet_sched_run_queue_wait_max",
                        "magnet_sched_run_queue_wait_bucket1_0_to_4us",
                        "magnet_sched_run_queue_wait_bucket8_from_16384us",
                        "magnet_sched_time_slice_p50");
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldHaveAllTextInThePictureAndNoneOnOther(String report) throws IOException, InterruptedException {
        for (String size : List.of("small", "medium", "large", "mobile")) {
            for (String host : List.of(MadeUpCluster.FULL, MadeUpCluster.SUMMARY, MadeUpCluster.LONG)) {
                assertThatTextFits(graph(report, host, size));
            }
            assertThatTextFits(graphOfCluster(report, FrontEnd.CLUSTER, size));
        }
    }

    @ParameterizedTest
    @CsvSource({"8, medium", "12, medium", "40, medium", "12, small", "12, mobile", "12, large"})
    void shouldHaveAllTextInThePictureOfManyNodes(int nodes, String size) throws IOException, InterruptedException {
        assertThatTextFits(graphOfCluster("magnet_scheduler_report", "of%20" + nodes, size));
    }

    @Test
    void shouldHaveNodesInTheOrderOfTheirNumbers() throws IOException, InterruptedException {
        String graph = graphOfCluster("magnet_scheduler_report", "of%2012", "default");
        assertThat(frontEnd.drawn(graph))
                .extracting(Series::label)
                .startsWith("node1 99 percent within", "node2 99 percent within")
                .endsWith("node12 99 percent within");
    }

    private void assertThatTextFits(String path) throws IOException, InterruptedException {
        Lettering text = Lettering.parse(frontEnd.get(path + "&image_format=svg"));
        assertThat(text.letters()).as(path).hasSizeGreaterThan(20);
        assertThat(text.outside()).as("outside: %s", path).isEmpty();
        assertThat(text.onOthers(TOUCHING)).as("on other letters: %s", path).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldNameSeriesInCsvAndJsonAsTheReportDoes(String report) throws IOException, InterruptedException {
        List<String> labels = Report.read(REPORTS, report).labels();
        assertThat(frontEnd.series(MadeUpCluster.FULL, report))
                .extracting(Series::label)
                .isEqualTo(labels);
        List<String> lines = frontEnd.get(graph(report, MadeUpCluster.FULL, "medium") + "&csv=1")
                .lines()
                .toList();
        assertThat(lines.get(0)).isEqualTo("Timestamp," + String.join(",", labels));
        assertThat(lines).hasSizeGreaterThan(10).allMatch(line -> line.split(",", -1).length == labels.size() + 1);
    }

    /** Where all times are the same, and all rates. Small pictures have no legend, in which each colour is anyway. */
    @ParameterizedTest
    @MethodSource("reports")
    void shouldShowEachLineWhenAllLieOnEachOther(String report) throws IOException, InterruptedException {
        Path png = RESULTS.resolve("equal-" + report + ".png");
        Picture picture = Picture.read(frontEnd.save(graph(report, MadeUpCluster.EQUAL, "small"), png));
        Map<String, Integer> pixels = new HashMap<>();
        for (int colour : Report.read(REPORTS, report).colours()) {
            pixels.put("%06x".formatted(colour), picture.count(colour, Integer.MAX_VALUE));
        }
        assertThat(pixels)
                .allSatisfy((colour, count) -> assertThat(count).as(colour).isGreaterThanOrEqualTo(PIXELS));
    }

    /** The axis of a view's times and that of a report's are the same seconds. */
    @Test
    void shouldDrawTheSameValuesInReportAndView() throws IOException, InterruptedException {
        ViewGraph graph =
                ViewGraph.read(CONF.resolve("view_magnet_cluster.json")).get(0);
        assertThat(graph.metric()).isEqualTo("magnet_sched_run_queue_wait_p99");
        List<Series> ofView = frontEnd.drawn(graph.path());
        List<Series> ofReport = frontEnd.seriesOfCluster("magnet_scheduler_report");
        assertThat(ofView).extracting(series -> series.label().strip()).contains(MadeUpCluster.FULL);
        assertThat(highest(ofView)).isEqualTo(highest(ofReport)).isLessThan(1);
        frontEnd.save(graph.path(), RESULTS.resolve("view-run-queue-wait.png"));
    }

    private static double highest(List<Series> series) {
        return Collections.max(
                series.stream().flatMap(each -> each.values().stream()).toList());
    }

    @Test
    void shouldSayOnEachPageOfTheDemoThatItsCostsAreNotANodes() throws IOException, InterruptedException {
        for (String path :
                List.of("", "?c=" + FrontEnd.CLUSTER, "?c=" + FrontEnd.CLUSTER + "&h=" + MadeUpCluster.FULL)) {
            assertThat(frontEnd.get(path))
                    .as(path)
                    .contains("emulated machine", "its costs on these pages are not a node's");
        }
        assertThat(Tree.root().resolve("docs/demo.md"))
                .content()
                .contains(Demo.EMULATED.lines().map(line -> "    " + line).toList());
    }

    @Test
    void shouldKeepPicturesOfThePagesAndThoseOfTheDocuments() throws IOException, InterruptedException {
        Browser browser = Browser.find(RESULTS);
        Map<String, String> pages = Map.of(
                "host", "?h=" + MadeUpCluster.FULL + "&c=" + FrontEnd.CLUSTER + "&r=5min",
                "cluster", "?c=" + FrontEnd.CLUSTER + "&r=5min",
                "view", "view_content.php?vn=magnet%20cluster&r=5min");
        for (Map.Entry<String, String> page : pages.entrySet()) {
            Path png = RESULTS.resolve(page.getKey() + ".png");
            browser.screenshot(frontEnd.url(page.getValue()), PAGE_WIDTH, PAGE_HEIGHT, png);
            // The view is what the front end loads into a page, without its top.
            if (!page.getKey().equals("view")) {
                assertThat(Picture.read(png).count(BANNER, PAGE_HEIGHT))
                        .as(page.getKey())
                        .isGreaterThan(PIXELS_OF_BANNER);
            }
        }
        Files.createDirectories(RESULTS.resolve("images"));
        for (Map.Entry<String, String> picture : ReportsShown.PICTURES_OF_DOCUMENTS.entrySet()) {
            assertThat(picture(graph(picture.getValue(), MadeUpCluster.FULL, "medium"), "images/" + picture.getKey()))
                    .isNotNull();
        }
    }
}
