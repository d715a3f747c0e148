// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import magnet.cli.WorldFixture;
import magnet.os.TerminalSize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code magnet check --fleet}, asked of what Debian's gmetad wrote of eight nodes, one of each kind. */
@Timeout(60)
final class FleetCheckTest extends WorldFixture {
    private static byte[] recorded(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(FleetCheckTest.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    /** Returns the exit code. */
    private int ask(byte[] answer, String... options) throws IOException {
        try (FakeGmetad gmetad = new FakeGmetad(answer, true)) {
            String[] arguments = Arrays.copyOf(options, options.length + 4);
            arguments[options.length] = "check";
            System.arraycopy(options, 0, arguments, 1, options.length);
            arguments[0] = "check";
            arguments[options.length + 1] = "--fleet";
            arguments[options.length + 2] = "--gmetad";
            arguments[options.length + 3] = gmetad.address();
            return world.run(arguments);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String node(String name, String values) {
        return "<HOST NAME=\"" + name + "\" TN=\"1\" TMAX=\"20\">" + values + "</HOST>\n";
    }

    private static String value(String metric, String value) {
        return "<METRIC NAME=\"magnet_sensor_" + metric + "\" VAL=\"" + value + "\" TN=\"1\" TMAX=\"20\"/>";
    }

    @Test
    void shouldTellOfEachNodeThatNeedsAttention() throws IOException {
        assertThat(ask(recorded("fleet.xml"))).isEqualTo(1);

        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("NODE   STATE    CLUSTER  VERSION              LOST  WHAT"),
                        line -> assertThat(line)
                                .matches("node4  failed   compute  0\\.0\\.9 +0  silent for \\d+ s: .*down"),
                        line -> assertThat(line)
                                .matches("node5  failed   compute  - +0  publishes nothing of magnet, .*"),
                        line -> assertThat(line)
                                .matches("node6  failed   compute  0\\.1\\.0 +0  magnetd has published nothing for \\d+"
                                        + " s"),
                        line -> assertThat(line)
                                .matches("node2  warning  compute  0\\.1\\.0 +123  lost 123 events in 25 s"),
                        line -> assertThat(line)
                                .matches("node3  warning  compute  0\\.1\\.0, module 0\\.0\\.9 +0  service 0.1.0, but"
                                        + " module 0.0.9"),
                        line -> assertThat(line)
                                .matches("node7  warning  compute  0\\.0\\.9 +0  3 points failed; version 0.0.9, most"
                                        + " have 0.1.0"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line)
                                .isEqualTo("7 nodes, 1 ok, 3 warnings, 3 failed; 1 cluster; 123 events lost"),
                        line -> assertThat(line).isEqualTo("version 0.0.9: 2 nodes"),
                        line -> assertThat(line).isEqualTo("version 0.1.0: 3 nodes"),
                        line -> assertThat(line).isEqualTo("version 0.1.0, module 0.0.9: 1 node"),
                        line -> assertThat(line)
                                .isEqualTo("warning: cluster storage: 1 node, and nothing of magnet; if that is on"
                                        + " purpose, name the cluster in --without"));
        assertThat(world.errLines()).isEmpty();
    }

    private String file(String nodes) throws IOException {
        return Files.writeString(world.root.resolve("nodes"), nodes).toString();
    }

    /** As while magnet is installed in stages. */
    @Test
    void shouldLookAtNamedNodesAlone() throws IOException {
        String nodes = file("# the canaries\nnode1\n\n node3 # with a new module\n");

        assertThat(ask(recorded("fleet.xml"), "--nodes", nodes)).isZero();

        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("NODE "),
                        line -> assertThat(line).startsWith("node3  warning  compute"),
                        line -> assertThat(line).isEmpty(),
                        line -> assertThat(line)
                                .isEqualTo("2 nodes, 1 ok, 1 warning, 0 failed; 1 cluster; no events lost"),
                        line -> assertThat(line).isEqualTo("not looked at: 6 other nodes"),
                        line -> assertThat(line).isEqualTo("version 0.1.0: 1 node"),
                        line -> assertThat(line).isEqualTo("version 0.1.0, module 0.0.9: 1 node"));
    }

    @Test
    void shouldMissNamedNodesThatGmetadDoesNotKnowAndThatHaveNoMagnet() throws IOException {
        String nodes = file("node1\nnode5\nnode99\ndisk1\n");

        assertThat(ask(recorded("fleet.xml"), "--nodes", nodes)).isEqualTo(1);

        assertThat(world.outLines())
                .anyMatch(line -> line.matches("node5 +failed +compute .*publishes nothing of magnet, as others.*"))
                .anyMatch(line -> line.matches("disk1 +failed +storage .*publishes nothing of magnet: is magnetd.*"))
                .anyMatch(line -> line.matches("node99 +failed +- .*gmetad knows no such node: .*"))
                .contains("4 nodes, 1 ok, 0 warnings, 3 failed; 1 cluster; no events lost");
    }

    /** Hosts of gmetad mostly have their domain. */
    @Test
    void shouldKnowANamedNodeWithoutItsDomain() throws IOException {
        String well = value("window_length", "25.0") + value("software_version", "1.0, module 1.0");
        byte[] answer = bytes("<GANGLIA_XML>" + cluster("g", node("n1.example.org", well) + node("n2.example.org", ""))
                + "</GANGLIA_XML>");

        assertThat(ask(answer, "--nodes", file("n1"))).isZero();

        assertThat(world.outLines()).contains("not looked at: 1 other node");
    }

    @Test
    void shouldSayWhichFileNamesNoNodes() throws IOException {
        String empty = file("# none yet\n");

        assertThat(world.run("check", "--fleet", "--nodes", empty)).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + empty + " names no node");
        assertThat(world.run("check", "--fleet", "--nagios", "--nodes", empty + "-not"))
                .isEqualTo(3);
        assertThat(world.outLines()).singleElement().asString().contains("UNKNOWN", "no such file");
        assertThat(world.run("check", "--nodes", empty)).isEqualTo(2);
        assertThat(world.run("check", "--fleet", "--nodes", empty, "--without", "a"))
                .isEqualTo(2);
    }

    @Test
    void shouldShowTheWorstNodesOnlyWhenAsked() throws IOException {
        assertThat(ask(recorded("fleet.xml"), "--top", "2")).isEqualTo(1);

        assertThat(world.outLines())
                .filteredOn(line -> line.contains("  failed  "))
                .hasSize(2);
        assertThat(world.outLines())
                .noneMatch(line -> line.contains("  warning  "))
                .contains("and 4 more");
    }

    @Test
    void shouldFitTheTerminal() throws IOException {
        world.screen = Optional.of(new TerminalSize(40, 24));

        assertThat(ask(recorded("fleet.xml"))).isEqualTo(1);

        assertThat(world.outLines()).allMatch(line -> line.length() <= 40);
        assertThat(String.join(" ", world.outLines()).replaceAll(" +", " "))
                .as("all of it")
                .contains(
                        "node5 publishes nothing of magnet, as others of its cluster do: is magnetd installed, and"
                                + " does it run?",
                        "node2 lost 123 events in 25 s",
                        "node3 service 0.1.0, but module 0.0.9",
                        "node7 3 points failed; version 0.0.9, most have 0.1.0",
                        "7 nodes, 1 ok, 3 warnings, 3 failed; 1 cluster; 123 events lost",
                        "warning: cluster storage: 1 node, and nothing of magnet; if that is on purpose, name the"
                                + " cluster in --without");
    }

    private static String cluster(String grid, String hosts) {
        return "<GRID NAME=\"" + grid + "\" AUTHORITY=\"a\" LOCALTIME=\"1000\">\n<CLUSTER NAME=\"compute\""
                + " LOCALTIME=\"1000\">\n" + hosts + "</CLUSTER>\n</GRID>\n";
    }

    /** In one grid the nodes of the cluster have magnet, in the other none has, and is not to have. */
    @Test
    void shouldTellClustersOfOneNameInTwoGridsApart() throws IOException {
        String well = node("n1", value("window_length", "25.0") + value("software_version", "1.0, module 1.0"));
        String lossy = node("n1", value("window_length", "25.0") + value("lost_rate", "1.0"));
        byte[] answer = bytes(FleetXmlTest.BEGIN + "<GANGLIA_XML VERSION=\"3.7.2\" SOURCE=\"gmetad\">\n"
                + "<GRID NAME=\"all\" AUTHORITY=\"a\" LOCALTIME=\"1000\">\n" + cluster("east", well)
                + cluster("west", node("n1", "") + node("n2", "")) + cluster("north", lossy)
                + "</GRID>\n</GANGLIA_XML>\n");

        assertThat(ask(answer)).isZero();
        assertThat(ask(answer, "--json")).isZero();

        assertThat(world.outLines())
                .contains(
                        "n1    warning  all/north/compute  -          25  lost 25 events in 25 s",
                        "2 nodes, 1 ok, 1 warning, 0 failed; 2 clusters; 25 events lost",
                        "warning: cluster all/west/compute: 2 nodes, and nothing of magnet; if that is on purpose,"
                                + " name the cluster in --without");
        JsonObject all = JsonParser.parseString(
                        world.outLines().get(world.outLines().size() - 1))
                .getAsJsonObject();
        JsonObject attention = all.getAsJsonArray("attention").get(0).getAsJsonObject();
        assertThat(attention.get("grid").getAsString()).isEqualTo("all/north");
        assertThat(attention.get("cluster").getAsString()).isEqualTo("compute");
        assertThat(all.getAsJsonArray("without_magnet").toString())
                .isEqualTo(
                        "[{\"grid\":\"all/west\",\"cluster\":\"compute\",\"nodes\":2,\"state\":\"warning\",\"problem\":\"2"
                                + " nodes, and nothing of magnet; if that is on purpose, name the cluster in"
                                + " --without\"}]");
    }

    @Test
    void shouldTellTheSameAsJson() throws IOException {
        assertThat(ask(recorded("fleet.xml"), "--json")).isEqualTo(1);

        assertThat(world.outLines()).hasSize(1);
        JsonObject all = JsonParser.parseString(world.outLines().get(0)).getAsJsonObject();
        assertThat(all.get("nodes").getAsInt()).isEqualTo(7);
        assertThat(all.get("failed").getAsInt()).isEqualTo(3);
        assertThat(all.get("warnings").getAsInt()).isEqualTo(3);
        assertThat(all.get("lost").getAsLong()).isEqualTo(123);
        assertThat(all.getAsJsonObject("versions").get("0.1.0").getAsInt()).isEqualTo(3);
        JsonObject lossy = all.getAsJsonArray("attention").get(3).getAsJsonObject();
        assertThat(lossy.get("node").getAsString()).isEqualTo("node2");
        assertThat(lossy.get("state").getAsString()).isEqualTo("warning");
        assertThat(lossy.get("lost").getAsLong()).isEqualTo(123);
        assertThat(lossy.get("module").getAsString()).isEqualTo("0.1.0");
        assertThat(lossy.getAsJsonArray("problems")).hasSize(1);
        assertThat(all.getAsJsonArray("without_magnet")).hasSize(1);
    }

    @Test
    void shouldBeAPluginOfNagios() throws IOException {
        assertThat(ask(recorded("fleet.xml"), "--nagios")).isEqualTo(2);

        assertThat(world.outLines())
                .singleElement()
                .asString()
                .matches("MAGNET CRITICAL: 7 nodes, 1 ok, 3 warnings, 3 failed; nothing of magnet in cluster"
                        + " test/storage: node4 \\(silent for \\d+ s: .*\\), node5 \\(.*\\), node6 \\(.*\\) and 3"
                        + " more \\| nodes=7;;;0 ok=1;;;0 warnings=3;0;;0 failed=3;;0;0 lost=123;0;;0"
                        + " clusters_without=1;0;;0 clusters_failed=0;;0;0");
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldFindNothingWhereAllIsWell() throws IOException {
        String well = node("n1", value("window_length", "25.0") + value("software_version", "1.0, module 1.0"))
                + node("n2", value("window_length", "25.0") + value("software_version", "1.0, module 1.0"));
        assertThat(ask(bytes(FleetXmlTest.inCluster(well)))).isZero();
        assertThat(ask(bytes(FleetXmlTest.inCluster(well)), "--nagios")).isZero();

        assertThat(world.outLines())
                .containsExactly(
                        "2 nodes, 2 ok, 0 warnings, 0 failed; 1 cluster; no events lost",
                        "version 1.0: 2 nodes",
                        "MAGNET OK: 2 nodes, 2 ok, 0 warnings, 0 failed"
                                + " | nodes=2;;;0 ok=2;;;0 warnings=0;0;;0 failed=0;;0;0 lost=0;0;;0"
                                + " clusters_without=0;0;;0 clusters_failed=0;;0;0");
    }

    @Test
    void shouldWarnOfWhatSomebodyShouldLookAt() throws IOException {
        String nodes = node("n1", value("lossy_intervals", "1"))
                + node("n2", value("points_blind", "2") + value("clock_unstable", "1"))
                + node("n3", value("lost_rate", "nan"))
                + node("n4", value("lost_rate", "0.5"))
                + node("n|5\u009b", value("missed_rate", "0.2") + value("window_length", "25"));
        assertThat(ask(bytes(FleetXmlTest.inCluster(nodes)))).isZero();
        assertThat(ask(bytes(FleetXmlTest.inCluster(nodes)), "--nagios", "--timeout", "20s"))
                .isEqualTo(1);

        assertThat(world.outLines())
                .anyMatch(line -> line.endsWith("lost events, or its timer jumped, in 1 interval"))
                .anyMatch(line -> line.endsWith("nothing is seen at 2 points; the kernel calls its TSC unstable"))
                .anyMatch(line -> line.endsWith("magnet_sensor_lost_rate is no number: nan"))
                .anyMatch(line -> line.endsWith("lost events, and does not tell in how long"))
                .anyMatch(line -> line.startsWith("n|5\\x9b  ") && line.endsWith("5 events missed by a probe"))
                .contains("version not told: 5 nodes");
        assertThat(world.outLines())
                .last()
                .asString()
                .startsWith("MAGNET WARNING: ")
                .containsOnlyOnce("|");
    }

    private void assertUnknown(byte[] answer, String... why) throws IOException {
        world.out.reset();
        world.err.reset();
        assertThat(ask(answer)).isEqualTo(1);
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith("magnet: gmetad at 127.0.0.1:")
                .contains(why);
        assertThat(ask(answer, "--nagios")).isEqualTo(3);
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .startsWith("MAGNET UNKNOWN: gmetad at 127.0.0.1:")
                .contains(why);
        assertThat(world.errLines()).hasSize(1);
    }

    @Test
    void shouldSayInOneLineWhatIsWrongWithTheAnswer() throws IOException {
        assertUnknown(bytes(""), "is empty", "trusted_hosts");
        assertUnknown(bytes("<html/>"), "begins with <html>");
        assertUnknown(Arrays.copyOf(recorded("fleet.xml"), 5_000), "breaks off after 5000 bytes");
        assertUnknown(recorded("sums.xml"), "has 0 nodes in 0 clusters", "ask their own gmetads");
    }

    private static byte[] clusters(String... clustersAndHosts) {
        StringBuilder xml = new StringBuilder(FleetXmlTest.BEGIN + "<GANGLIA_XML VERSION=\"3.7.2\" SOURCE=\"gmetad\">\n"
                + "<GRID NAME=\"all\" AUTHORITY=\"a\" LOCALTIME=\"1000\">\n");
        for (int i = 0; i < clustersAndHosts.length; i += 2) {
            xml.append("<CLUSTER NAME=\"" + clustersAndHosts[i] + "\" LOCALTIME=\"1000\">\n" + clustersAndHosts[i + 1]
                    + "</CLUSTER>\n");
        }
        return bytes(xml.append("</GRID>\n</GANGLIA_XML>\n").toString());
    }

    private static String well(String node) {
        return node(node, value("window_length", "25.0") + value("software_version", "1.0, module 1.0"));
    }

    @Test
    void shouldWarnOfAClusterThatLostMagnetCompletely() throws IOException {
        byte[] answer = clusters("compute", well("n1"), "gpu", node("g1", "") + node("g2", ""));

        assertThat(ask(answer)).isZero();
        assertThat(world.outLines())
                .contains(
                        "warning: cluster gpu: 2 nodes, and nothing of magnet; if that is on purpose, name the cluster"
                                + " in --without");
        world.out.reset();
        assertThat(ask(answer, "--nagios")).isEqualTo(1);
        assertThat(world.outLines())
                .containsExactly("MAGNET WARNING: 1 node, 1 ok, 0 warnings, 0 failed; nothing of magnet in cluster"
                        + " all/gpu | nodes=1;;;0 ok=1;;;0 warnings=0;0;;0 failed=0;;0;0 lost=0;0;;0"
                        + " clusters_without=1;0;;0 clusters_failed=0;;0;0");
    }

    @Test
    void shouldKnowClustersThatHaveNoMagnetOnPurpose() throws IOException {
        byte[] answer = clusters("compute", well("n1"), "gpu", node("g1", ""), "some", well("s1") + node("s2", ""));

        assertThat(ask(answer, "--nagios", "--without", "all/gpu,some")).isZero();
        assertThat(world.outLines()).singleElement().asString().startsWith("MAGNET OK: 2 nodes, 2 ok, ");
        world.out.reset();
        assertThat(ask(answer, "--without", "gpu", "--without", "some")).isZero();
        assertThat(world.outLines()).contains("cluster gpu: 1 node, and nothing of magnet, on purpose");
    }

    @Test
    void shouldFailForAClusterThatIsExpectedToHaveMagnet() throws IOException {
        byte[] answer = clusters("compute", well("n1"), "gpu", node("g1", ""));

        assertThat(ask(answer, "--expect", "compute")).isZero();
        assertThat(ask(answer, "--expect", "compute,gpu")).isEqualTo(1);
        world.out.reset();
        assertThat(ask(answer, "--nagios", "--expect", "compute,all/gpu")).isEqualTo(2);
        assertThat(ask(answer, "--nagios", "--expect", "typo", "--without", "gpu"))
                .isEqualTo(2);
        assertThat(ask(answer, "--expect", "typo", "--without", "gpu")).isEqualTo(1);
        assertThat(ask(answer, "--expect", "gpu", "--without", "gpu")).isEqualTo(2);

        assertThat(world.outLines().get(0))
                .startsWith(
                        "MAGNET CRITICAL: 1 node, 1 ok, 0 warnings, 0 failed; nothing of magnet in cluster all/gpu");
        assertThat(world.outLines().get(1)).contains("nothing of magnet in cluster typo");
        assertThat(world.outLines())
                .contains("failed: cluster typo: gmetad knows no such cluster: its gmonds do not answer gmetad, or the"
                        + " name is another");
        assertThat(world.errLines()).singleElement().asString().contains("gpu stands in --expect and in --without");
    }

    @Test
    void shouldFailWhereTheOnlyClusterHasNoMagnet() throws IOException {
        byte[] answer = bytes(FleetXmlTest.inCluster(node("n", "")));

        assertThat(ask(answer)).isEqualTo(1);
        assertThat(ask(answer, "--nagios")).isEqualTo(2);

        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("failed: cluster ")
                        && line.endsWith("1 node, and nothing of magnet: is magnetd installed there, and gmond.conf's"
                                + " module magnet enabled?"))
                .last()
                .asString()
                .startsWith("MAGNET CRITICAL: 0 nodes, 0 ok, 0 warnings, 0 failed; nothing of magnet in cluster ");
    }

    @Test
    void shouldSayInOneLineThatNobodyAnswers() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThat(world.run("check", "--fleet", "--gmetad", "127.0.0.1:" + port))
                .isEqualTo(1);
        assertThat(world.run("check", "--nagios", "--fleet", "--gmetad", "127.0.0.1:" + port))
                .isEqualTo(3);
        assertThat(world.run("check", "--fleet", "--gmetad", "no.such.host.invalid"))
                .isEqualTo(1);

        assertThat(world.errLines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("magnet: no gmetad answers at 127.0.0.1:" + port + ": ")
                                .contains("xml_port"),
                        line -> assertThat(line).contains("no.such.host.invalid cannot be resolved"));
        assertThat(world.outLines()).singleElement().asString().startsWith("MAGNET UNKNOWN: no gmetad answers at ");
    }

    /** The interactive port waits for a question, and a gmetad may stand still. */
    @Test
    void shouldNotWaitForEver() throws IOException {
        byte[] part = Arrays.copyOf(recorded("fleet.xml"), 4_000);
        try (FakeGmetad still = new FakeGmetad(part, false)) {
            assertThat(world.run("check", "--fleet", "--gmetad", still.address(), "--timeout", "200ms"))
                    .isEqualTo(1);
        }
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .contains("has not told everything within 200ms", "interactive_port");
    }

    @Test
    void shouldRefuseOptionsThatDoNotFit() {
        assertThat(world.run("check", "--gmetad", "head:1")).isEqualTo(2);
        assertThat(world.run("check", "--fleet", "--passive")).isEqualTo(2);
        assertThat(world.run("check", "--fleet", "--gmetad", "head:99999")).isEqualTo(2);
        assertThat(world.run("check", "--expect", "compute")).isEqualTo(2);
        assertThat(world.run("check", "--fleet", "--top", "0")).isEqualTo(2);
        assertThat(world.run("check", "--nagios", "--json")).isEqualTo(3);

        assertThat(world.errLines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("need --fleet"),
                        line -> assertThat(line).contains("hooks nothing"),
                        line -> assertThat(line).contains("--gmetad wants a host and a port such as"),
                        line -> assertThat(line).contains("--expect, --without and --nodes need --fleet"),
                        line -> assertThat(line).contains("--top N must be at least 1"));
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .startsWith("MAGNET UNKNOWN: --nagios and --json exclude each other");
    }
}
