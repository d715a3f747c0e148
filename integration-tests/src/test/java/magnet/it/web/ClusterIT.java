// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import magnet.it.ganglia.GmondMetric;
import magnet.it.guest.Tree;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three guests as a cluster, once with Debian's multicast and once by the unicast examples, and one gmetad: the front end
 * shows each node's events as its own, and all nodes in one graph. Pictures and figures are kept in build/web.
 */
@Tag("web")
final class ClusterIT {
    private static final Path RESULTS = Tree.build().resolve("web");
    private static final Path VIEW = Tree.root().resolve("gmond-conf/ganglia-web/conf/view_magnet_cluster.json");
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final String SENT = "magnet_net_udp_send_packets_rate";
    private static final String RECEIVED = "magnet_net_udp_receive_packets_rate";
    private static final String WAIT = "magnet_sched_run_queue_wait_p99";

    /** A graph has to have as many points, one each five seconds, before it is looked at. */
    private static final int POINTS = 9;
    /** As many of the newest points have to be what the kernel counted: more than magnet's own window is long. */
    private static final int LATEST = 6;
    /** How long the kernel's count goes on: over the newest points, and the windows that they tell of. */
    private static final Duration COUNTED = Duration.ofSeconds(60);
    /** Nodes differ by far more; what gmond and magnetd send in bursts lies in one window and not in the next. */
    private static final double PERCENT = 10;

    /** The first of the front end's colours, in the order of the nodes. */
    private static final List<Integer> COLOURS = List.of(0x0000A3, 0xFF3300, 0xFFCC33);
    /** Of one colour in a graph: more than smoothing leaves behind. */
    private static final int PIXELS = 15;
    /** Rows of a graph of size large above its legend. */
    private static final int ROWS = 190;

    private static final int PAGE_WIDTH = 1280;
    private static final int PAGE_HEIGHT = 3_900;
    /** Of one colour in the view: more than the legends of its graphs have. */
    private static final int PIXELS_OF_VIEW = 2000;

    @Nested
    final class Multicast extends Looks {
        Multicast() {
            super("multicast");
        }
    }

    @Nested
    final class Unicast extends Looks {
        Unicast() {
            super("unicast");
        }
    }

    /** What there is to see, however gmond is set up. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Looks {
        private final String name;
        private final String setup;
        private final Cluster cluster = new Cluster();
        private boolean complete;

        @RegisterExtension
        final AfterTestExecutionCallback keeper = context -> {
            if (context.getExecutionException().isPresent()) {
                cluster.keep();
            }
        };

        Looks(String setup) {
            this.setup = setup;
            name = "cluster-" + setup;
        }

        static List<ViewGraph> graphs() throws IOException {
            return ViewGraph.read(VIEW);
        }

        @BeforeAll
        void start() throws IOException {
            cluster.start(setup, Files.createDirectories(RESULTS.resolve(name)));
            await(() -> assertAllNodes(drawn(SENT)));
            complete = true;
        }

        @AfterAll
        void end() throws IOException, InterruptedException {
            if (!complete) {
                cluster.keep();
            }
            try {
                cluster.checkKernels();
            } finally {
                cluster.close();
            }
        }

        private static void await(ThrowingRunnable assertion) {
            Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofSeconds(5)).untilAsserted(assertion);
        }

        private FrontEnd frontEnd() {
            return cluster.frontEnd();
        }

        /** What the graph of all nodes has of a metric. */
        private List<Series> drawn(String metric) throws IOException, InterruptedException {
            return frontEnd().drawn(graph(metric).path());
        }

        private static ViewGraph graph(String metric) throws IOException {
            return graphs().stream()
                    .filter(graph -> graph.metric().equals(metric))
                    .findFirst()
                    .orElseThrow();
        }

        private void assertAllNodes(List<Series> series) {
            assertThat(series).extracting(Series::label).isEqualTo(cluster.names());
            assertThat(series)
                    .allSatisfy(
                            each -> assertThat(each.values()).as(each.label()).hasSizeGreaterThan(POINTS));
        }

        @Test
        void shouldKnowEachNodeOnceByItsNameAndAddress() throws IOException {
            Map<String, String> nodes = new HashMap<>();
            cluster.nodes().forEach(node -> nodes.put(node.name(), node.address()));
            assertThat(frontEnd().gmetad().hosts()).isEqualTo(nodes);
        }

        @Test
        void shouldHaveEventsOfEachNodeBesideGmondsOwnMetrics() throws IOException {
            List<String> wanted = new ArrayList<>(List.of("load_one"));
            graphs().forEach(graph -> wanted.add(graph.metric()));
            await(() -> assertThat(cluster.names())
                    .allSatisfy(node -> assertThat(metrics(node))
                            .extracting(GmondMetric::name)
                            .containsAll(wanted)));
            assertThat(cluster.names())
                    .allSatisfy(node -> assertThat(metrics(node))
                            .filteredOn(metric -> metric.name().equals(WAIT))
                            .extracting(GmondMetric::number)
                            .allMatch(wait -> wait > 0));
        }

        /** What gmetad has of a node. */
        private List<GmondMetric> metrics(String node) throws IOException {
            return frontEnd().gmetad().startingWith("").stream()
                    .filter(metric -> metric.host().equals(node))
                    .toList();
        }

        /**
         * Each node sends another number of datagrams, so a figure of another node is far off. Both are of the same time, so
         * that what a sender was late with before is in neither; where it was late meanwhile, all is counted anew.
         */
        @Test
        void shouldShowOfEachNodeWhatItsOwnKernelCounted() throws IOException {
            Path figures = RESULTS.resolve(name + ".txt");
            await(() -> {
                cluster.nodes().forEach(ClusterNode::count);
                Thread.sleep(COUNTED.toMillis());
                Files.writeString(
                        figures, compare(SENT, ClusterNode::sendRate) + compare(RECEIVED, ClusterNode::receiveRate));
            });
        }

        private String compare(String metric, ToDoubleFunction<ClusterNode> rate)
                throws IOException, InterruptedException {
            List<Series> drawn = drawn(metric);
            assertAllNodes(drawn);
            StringBuilder figures = new StringBuilder();
            for (int i = 0; i < drawn.size(); i++) {
                ClusterNode node = cluster.nodes().get(i);
                double counted = rate.applyAsDouble(node);
                List<Double> latest = drawn.get(i).latest(LATEST);
                assertThat(latest)
                        .as("%s of %s", metric, node.name())
                        .allSatisfy(value -> assertThat(value).isCloseTo(counted, withinPercentage(PERCENT)));
                figures.append("%s of %s: %s, its kernel: %.2f%n".formatted(metric, node.name(), latest, counted));
            }
            return figures.toString();
        }

        @Test
        void shouldShowItsReportsOnThePageOfEachNode() throws IOException, InterruptedException {
            for (String node : cluster.names()) {
                assertThat(frontEnd().get("?h=" + node + "&c=" + FrontEnd.CLUSTER + "&r=5min"))
                        .contains("h=" + node)
                        .contains("g=magnet_journey_report", "g=magnet_scheduler_report", "g=magnet_sensor_report");
                assertThat(frontEnd().series(node, "magnet_scheduler_report")).anyMatch(Series::isSeen);
                assertThat(frontEnd().series(node, "magnet_sensor_report")).anyMatch(Series::isSeen);
            }
        }

        @Test
        void shouldDrawALineForEachNodeOnThePageOfTheCluster() throws IOException, InterruptedException {
            List<Series> lines = frontEnd().seriesOfCluster("magnet_scheduler_report");
            assertThat(lines)
                    .extracting(Series::label)
                    .isEqualTo(cluster.names().stream()
                            .map(node -> node + " 99 percent within")
                            .toList());
            assertThat(lines).allMatch(Series::isSeen);
        }

        @ParameterizedTest
        @MethodSource("graphs")
        void shouldHaveValuesOfAllNodesInEachGraphOfTheView(ViewGraph graph) throws IOException, InterruptedException {
            List<Series> series = frontEnd().drawn(graph.path());
            assertAllNodes(series);
            assertThat(series).extracting(Series::colour).isEqualTo(COLOURS);
        }

        @Test
        void shouldDrawAllNodesAsLinesAndAsAStack() throws IOException, InterruptedException {
            for (String metric : List.of(WAIT, SENT)) {
                Path png = frontEnd().save(graph(metric).path(), RESULTS.resolve(name + "-" + metric + ".png"));
                Picture picture = Picture.read(png);
                assertThat(COLOURS)
                        .as(metric)
                        .allSatisfy(colour ->
                                assertThat(picture.count(colour, ROWS)).isGreaterThan(PIXELS));
            }
        }

        @Test
        void shouldShowAllNodesInTheViewInABrowser() throws IOException, InterruptedException {
            Browser browser = Browser.find(RESULTS.resolve(name));
            Path png = RESULTS.resolve(name + ".png");
            String view = frontEnd().url("view_content.php?vn=magnet%20cluster&r=5min");
            Picture picture = Picture.read(browser.screenshot(view, PAGE_WIDTH, PAGE_HEIGHT, png));
            assertThat(COLOURS)
                    .allSatisfy(colour ->
                            assertThat(picture.count(colour, PAGE_HEIGHT)).isGreaterThan(PIXELS_OF_VIEW));
        }
    }
}
