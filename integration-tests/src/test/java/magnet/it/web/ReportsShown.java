// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.Tree;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node with a workload, gmond, gmetad and Debian's web front end: each report is opened in Chromium at the default
 * level and at level full, and what it draws is looked for in the picture. Pictures are kept in a folder.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReportsShown {
    /** For whatever takes an emulated guest some time. */
    static final Duration LIMIT = Duration.ofMinutes(4);

    private static final Path REPORTS = Tree.root().resolve("gmond-conf/ganglia-web/graph.d");
    /** A report has to have as many points, one each five seconds, before it is looked at. */
    private static final int POINTS = 9;
    /** Of one colour: more than smoothing and letters leave behind. */
    private static final int PIXELS = 15;
    /** Rows of a graph of size large above the highest legend, that of ten lines and why others are missing. */
    private static final int ROWS = 165;

    /** The pictures of docs/images, and the reports that they are of. */
    static final Map<String, String> PICTURES_OF_DOCUMENTS = Map.of(
            "wait-for-a-cpu", "magnet_scheduler_report",
            "cpu-waits-by-time", "magnet_scheduler_buckets_report",
            "udp-send-journey", "magnet_journey_report",
            "interrupt-time", "magnet_interrupts_report",
            "block-latency", "magnet_block_report",
            "waits-for-memory", "magnet_memory_report",
            "sensor-health", "magnet_sensor_report");

    private static final int GRAPH_WIDTH = 600;
    private static final int GRAPH_HEIGHT = 420;
    private static final int PAGE_WIDTH = 1280;
    private static final int PAGE_HEIGHT = 2000;
    /** Colour of the line that says why there is nothing. */
    private static final int NOTHING = 0xFFCC33;
    /** The first of the front end's colours, which the first node of a cluster gets. */
    private static final int FIRST_NODE = 0x0000A3;

    private final String host;
    private final Path results;
    private FrontEnd frontEnd;
    private Browser browser;

    /**
     * @param host the node's name
     * @param results the folder for pictures
     */
    ReportsShown(String host, Path results) {
        this.host = host;
        this.results = results;
    }

    /** Starts a front end with reports for the guest's gmond, which need not run yet. */
    abstract FrontEnd startFrontEnd(Path folder, int gmond) throws IOException;

    /** Starts gmond and magnet at the default level, and waits until they publish. */
    abstract void startNode(Guest guest);

    static List<String> reports() throws IOException {
        try (Stream<Path> files = Files.list(REPORTS)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .map(name -> name.substring(0, name.length() - ".json".length()))
                    .sorted()
                    .toList();
        }
    }

    @BeforeAll
    void lookAtEverything(Guest guest) throws IOException, InterruptedException {
        Path run = Files.createDirectories(results.resolve("run"));
        browser = Browser.find(run);
        frontEnd = startFrontEnd(run, guest.options().forwardedPort());
        startNode(guest);
        guest.start("integration-tests/web/workload");
        await("magnet_memory_report", "stalls to free memory");
        await("magnet_scheduler_report", "median");
        open("summary");
        page("host", "?h=" + host + "&c=" + FrontEnd.CLUSTER + "&r=5min");
        page("cluster", "?c=" + FrontEnd.CLUSTER + "&r=5min");
        page("view", "view_content.php?vn=magnet%20cluster&r=5min");

        guest.sh("sed -i 's/# param metrics.level .*/param metrics.level { value = \"full\" }/; "
                        + "s/# param metrics.jobs .*/param metrics.jobs { value = \"on\" }/' "
                        + "/etc/ganglia/conf.d/magnet.conf")
                .orFail();
        await("magnet_memory_buckets_report", "all stalls");
        await("magnet_block_buckets_report", "256 us to 1 ms");
        await("magnet_receive_journey_report", "median");
        await("magnet_jobs_report", "job 4 runs");
        open("full");
        keepForDocuments();

        // What uses CPU in the workload asks for its CPU time in a loop.
        guest.sh("sed -i 's/# param metrics.syscalls .*/param metrics.syscalls { value = \"on\" }/' "
                        + "/etc/ganglia/conf.d/magnet.conf")
                .orFail();
        await("magnet_sensor_report", "events lost");
        keepForDocuments("sensor-health");
    }

    /** Saves what goes to docs/images when it is looked at and found good. */
    private void keepForDocuments() throws IOException, InterruptedException {
        for (String name : PICTURES_OF_DOCUMENTS.keySet()) {
            keepForDocuments(name);
        }
    }

    private void keepForDocuments(String name) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(results.resolve("images"));
        String report = PICTURES_OF_DOCUMENTS.get(name);
        String graph = "graph.php?g=%s&h=%s&c=%s&r=5min&z=medium".formatted(report, host, FrontEnd.CLUSTER);
        frontEnd.save(graph, folder.resolve(name + ".png"));
    }

    @AfterAll
    void end() {
        if (frontEnd != null) {
            frontEnd.close();
        }
    }

    /** Until a series has enough points that are above zero. */
    private void await(String report, String label) {
        Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(frontEnd.series(host, report))
                        .filteredOn(series -> series.label().equals(label))
                        .flatMap(Series::values)
                        .filteredOn(value -> value > 0)
                        .hasSizeGreaterThan(POINTS));
    }

    /** All reports on one page, since a browser takes seconds to start; each is kept as a picture of its own. */
    private void open(String level) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(results.resolve(level));
        List<String> reports = reports();
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < reports.size(); i++) {
            html.append("<img style='position:absolute;left:0;top:%dpx' src='%s'>\n"
                    .formatted(i * GRAPH_HEIGHT, frontEnd.graph(host, reports.get(i))));
        }
        Path page = Files.writeString(folder.resolve("reports.html"), html);
        int height = reports.size() * GRAPH_HEIGHT;
        Picture all = Picture.read(
                browser.screenshot(page.toUri().toString(), GRAPH_WIDTH, height, folder.resolve("reports.png")));
        for (int i = 0; i < reports.size(); i++) {
            all.part(i * GRAPH_HEIGHT, GRAPH_HEIGHT).write(folder.resolve(reports.get(i) + ".png"));
        }
    }

    private void page(String name, String path) throws IOException, InterruptedException {
        Files.writeString(results.resolve(name + ".html"), browser.document(frontEnd.url(path)));
        browser.screenshot(frontEnd.url(path), PAGE_WIDTH, PAGE_HEIGHT, results.resolve(name + ".png"));
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldDrawAtLevelFull(String report) throws Exception {
        List<Series> seen =
                frontEnd.series(host, report).stream().filter(Series::isSeen).toList();
        assertThat(frontEnd.series(host, report))
                .hasSameSizeAs(Report.read(REPORTS, report).metrics());
        assertThat(seen).isNotEmpty();
        assertThat(drawn(report, "full", seen)).isGreaterThanOrEqualTo((seen.size() + 1) / 2);
    }

    @ParameterizedTest
    @MethodSource("reports")
    void shouldDrawAtTheDefaultLevelOrSayWhatItTakes(String report) throws Exception {
        List<Integer> colours = Report.read(REPORTS, report).coloursAtDefaultLevel();
        Picture picture = Picture.read(results.resolve("summary/" + report + ".png"));
        if (colours.isEmpty()) {
            assertThat(picture.count(NOTHING, GRAPH_HEIGHT)).isPositive();
        } else {
            assertThat(colours)
                    .filteredOn(colour -> picture.count(colour, ROWS) >= PIXELS)
                    .hasSizeGreaterThanOrEqualTo((colours.size() + 1) / 2);
        }
    }

    /** How many of the series are in the picture: one may lie upon another. */
    private long drawn(String report, String level, List<Series> series) throws IOException {
        Picture picture = Picture.read(results.resolve(level + "/" + report + ".png"));
        return series.stream()
                .filter(each -> picture.count(each.colour(), ROWS) >= PIXELS)
                .count();
    }

    @Test
    void shouldShowItsReportsOnThePageOfAHost() throws IOException {
        assertThat(results.resolve("host.html"))
                .content()
                .contains(
                        "g=magnet_journey_report",
                        "g=magnet_scheduler_report",
                        "g=magnet_interrupts_report",
                        "g=magnet_block_report",
                        "g=magnet_memory_report",
                        "g=magnet_sensor_report");
        Picture host = Picture.read(results.resolve("host.png"));
        for (String report : List.of("magnet_scheduler_report", "magnet_interrupts_report", "magnet_sensor_report")) {
            assertThat(Report.read(REPORTS, report).coloursAtDefaultLevel())
                    .anyMatch(colour -> host.count(colour, PAGE_HEIGHT) >= PIXELS);
        }
    }

    @Test
    void shouldShowALineForEachNodeOnThePageOfACluster() throws IOException {
        assertThat(results.resolve("cluster.html")).content().contains("g=magnet_scheduler_report");
        assertThat(Picture.read(results.resolve("cluster.png")).count(FIRST_NODE, PAGE_HEIGHT))
                .isGreaterThan(PIXELS);
    }

    @Test
    void shouldShowAggregateGraphsInTheView() throws IOException {
        assertThat(results.resolve("view.html")).content().contains("aggregate=1", "magnet_sched_run_queue_wait_p99");
        assertThat(Picture.read(results.resolve("view.png")).count(FIRST_NODE, PAGE_HEIGHT))
                .isGreaterThan(PIXELS);
    }
}
