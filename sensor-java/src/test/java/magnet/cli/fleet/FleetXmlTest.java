// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import magnet.metric.SensorMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of what Debian's gmetad 3.7.2 wrote, and of what it never would. */
@Timeout(60)
final class FleetXmlTest {
    static final String BEGIN = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" standalone=\"yes\"?>\n";

    private static byte[] recorded(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(FleetXmlTest.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    private static GangliaReport read(byte[] bytes) throws IOException {
        return FleetXml.read(new ByteArrayInputStream(bytes));
    }

    private static GangliaReport read(String text) throws IOException {
        return read(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String inCluster(String hosts) {
        return BEGIN
                + "<GANGLIA_XML VERSION=\"3.7.2\" SOURCE=\"gmetad\">\n"
                + "<GRID NAME=\"g\" AUTHORITY=\"a\""
                + " LOCALTIME=\"1000\">\n"
                + "<CLUSTER"
                + " NAME=\"c\""
                + " LOCALTIME=\"1000\">\n" + hosts + "</CLUSTER>\n</GRID>\n</GANGLIA_XML>\n";
    }

    private static void assertRefused(String text, String... why) {
        assertThatExceptionOfType(AnswerException.class)
                .isThrownBy(() -> read(text))
                .satisfies(e -> assertThat(e.getMessage())
                        .startsWith("the answer")
                        .contains(why)
                        .isPrintable()
                        .doesNotContain("\n"));
    }

    private static GangliaReport.Cluster cluster(int hosts, String name, String... grids) {
        return new GangliaReport.Cluster(new ClusterName(List.of(grids), name), hosts);
    }

    private static NodeReport node(GangliaReport report, String name) {
        return report.nodes().stream()
                .filter(each -> each.node().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldReadWhatGmetadWrites() throws IOException {
        GangliaReport report = read(recorded("fleet.xml"));

        assertThat(report.clusters())
                .containsExactlyInAnyOrder(cluster(1, "storage", "test"), cluster(7, "compute", "test"));
        assertThat(report.sums()).isEmpty();
        assertThat(report.nodes()).hasSize(8);
        NodeReport lossy = node(report, "node2");
        assertThat(lossy.cluster().name()).isEqualTo("compute");
        assertThat(lossy.inWindow(SensorMetrics.LOST)).isEqualTo(123);
        assertThat(lossy.number(SensorMetrics.LOSSY)).hasValue(2);
        assertThat(lossy.version()).hasValue(new SensorVersion("0.1.0", "0.1.0"));
        assertThat(lossy.host().isSilent()).isFalse();
        assertThat(node(report, "node4").host().isSilent()).isTrue();
        assertThat(node(report, "node6").host().isSilent()).isFalse();
        assertThat(node(report, "node6").sensor().orElseThrow().isSilent()).isTrue();
        assertThat(node(report, "node5").hasSensor()).isFalse();
        assertThat(node(report, "disk1").hasSensor()).isFalse();
    }

    @Test
    void shouldReadWhatGmondWrites() throws IOException {
        GangliaReport report = read(recorded("gmond.xml"));

        assertThat(report.clusters()).containsExactly(cluster(7, "compute"));
        assertThat(node(report, "node2").inWindow(SensorMetrics.LOST)).isEqualTo(123);
    }

    @Test
    void shouldSayWhichGridsItHasSumsOfOnly() throws IOException {
        GangliaReport report = read(recorded("sums.xml"));

        assertThat(report.nodes()).isEmpty();
        assertThat(report.sums()).singleElement().satisfies(sum -> {
            assertThat(sum.grid()).isEqualTo("test");
            assertThat(sum.authority()).startsWith("http://");
        });
    }

    /** Everything after the document type, which alone is no document. */
    @Test
    void shouldSayWhereAnAnswerBreaksOff() throws IOException {
        byte[] all = recorded("fleet.xml");
        for (int length = 1; length < all.length - 20; length += 97) {
            byte[] part = Arrays.copyOf(all, length);
            String bytes = length == 1 ? "1 byte" : length + " bytes";
            assertThatExceptionOfType(AnswerException.class)
                    .as(bytes)
                    .isThrownBy(() -> read(part))
                    .withMessageStartingWith("the answer breaks off after " + bytes + ", ");
        }
    }

    @Test
    void shouldSayThatNothingCame() {
        assertRefused("", "is empty", "trusted_hosts");
    }

    @Test
    void shouldTakeNothingButGanglias() {
        assertRefused("<html><body/></html>", "begins with <html>");
        assertRefused("HTTP/1.1 400 Bad Request\r\n\r\n", "no XML that gmetad writes: line 1");
        assertRefused(BEGIN + "<GANGLIA_XML><GRID></CLUSTER></GANGLIA_XML>", "no XML that gmetad writes: line 2");
        assertRefused(BEGIN + "<GANGLIA_XML><HOST NAME=\"h\"/></GANGLIA_XML>", "HOST outside of a CLUSTER");
        assertRefused(inCluster("<HOST NAME=\"h\" TN=\"soon\" TMAX=\"20\"/>"), "TN of host h is no number: soon");
        assertRefused(inCluster("<HOST NAME=\"h\" TN=\"1.5\" TMAX=\"20\"/>"), "TN of host h");
        assertRefused(
                inCluster("<HOST NAME=\"\u001b[2J\" TN=\"1\"/>")
                        .replace("\u001b", "&#155;")
                        .replace("TN=\"1\"", "TN=\"x\""),
                "host \\x9b[2J");
        assertRefused(BEGIN.replace("ISO-8859-1", "EBCDIC-X") + "<GANGLIA_XML/>", "no XML that gmetad writes");
    }

    /** Neither what it names is read, nor a host told. */
    @Test
    void shouldFetchAndReplaceNoEntity(@TempDir Path folder) throws IOException {
        URI secret = Files.writeString(folder.resolve("secret"), "hidden").toUri();
        String external = "<!DOCTYPE GANGLIA_XML [<!ENTITY e SYSTEM \"" + secret + "\">]>\n";
        assertRefused(
                inCluster("<HOST NAME=\"h\">&e;</HOST>").replace("<GANGLIA_XML", external + "<GANGLIA_XML"), "entity");
        assertRefused(
                inCluster("<HOST NAME=\"&e;\"/>").replace("<GANGLIA_XML", external + "<GANGLIA_XML"), "line ", "\"e\"");
        String parameter = "<!DOCTYPE GANGLIA_XML [<!ENTITY % p SYSTEM \"" + secret + "\"> %p;]>\n";
        assertThat(read(inCluster("<HOST NAME=\"h\"/>").replace("<GANGLIA_XML", parameter + "<GANGLIA_XML"))
                        .nodes())
                .hasSize(1);
        assertThat(read(inCluster("<HOST NAME=\"h\"/>")
                                .replace(
                                        "<GANGLIA_XML",
                                        "<!DOCTYPE GANGLIA_XML SYSTEM \"http://127.0.0.1:9/x.dtd\">\n<GANGLIA_XML"))
                        .nodes())
                .hasSize(1);
    }

    /** A billion laughs. */
    @Test
    void shouldNotGrowByEntities() {
        StringBuilder laughs = new StringBuilder("<!DOCTYPE GANGLIA_XML [<!ENTITY l0 \"ha\">");
        for (int i = 1; i < 30; i++) {
            laughs.append("<!ENTITY l%d \"&l%d;&l%d;\">".formatted(i, i - 1, i - 1));
        }
        laughs.append("]>\n<GANGLIA_XML");
        assertRefused(inCluster("<HOST NAME=\"&l29;\"/>").replace("<GANGLIA_XML", laughs), "line ");
        assertRefused(inCluster("&l29;").replace("<GANGLIA_XML", laughs), "entity");
    }

    @Test
    void shouldBoundWhatItTakes() {
        String name = "x".repeat(BoundedInput.MOST_OF_A_TAG + 1);
        assertRefused(inCluster("<HOST NAME=\"" + name + "\"/>"), "without the end of a tag");
        assertRefused(BEGIN + "<GANGLIA_XML>" + "<GRID>".repeat(70), "elements in each other");
        assertThatExceptionOfType(AnswerException.class)
                .isThrownBy(() -> FleetXml.read(
                        new ByteArrayInputStream(inCluster("").getBytes(StandardCharsets.ISO_8859_1)), 100))
                .withMessageContaining("longer than 100 bytes");
        assertRefused(inCluster("<HOST NAME=\"h\"/>\n".repeat(FleetXml.MOST + 1)), "more than 20000 hosts");
        String clusters = "<CLUSTER NAME=\"c\"/>".repeat(FleetXml.MOST + 1);
        assertRefused(BEGIN + "<GANGLIA_XML><GRID>" + clusters + "</GRID></GANGLIA_XML>", "clusters");
        String grids = "<GRID NAME=\"g\"><HOSTS/></GRID>".repeat(FleetXml.MOST + 1);
        assertRefused(BEGIN + "<GANGLIA_XML><GRID>" + grids + "</GRID></GANGLIA_XML>", "grids");
    }

    @Test
    void shouldTakeOutTheDocumentTypeAndNothingElse() throws IOException {
        String text = """
                <?xml version='1.0'?>
                <!-- <!ELEMENT> -->
                <!DOCTYPE G [
                <!ELEMENT G EMPTY>
                ] >
                <G a='<!DOCTYPE'/>""";
        try (InputStream in =
                Prolog.withoutDocumentType(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(text.replace("<!DOCTYPE G [", " ".repeat(13))
                            .replace("<!ELEMENT G EMPTY>", " ".repeat(18))
                            .replace("] >", "   "));
        }
        assertRefused("<!DOCTYPE G [<!ENTITY e \"]>\"> ]><GANGLIA_XML/>", "no XML that gmetad writes");
        assertRefused("<!-- " + "x>".repeat(40_000) + " --><GANGLIA_XML/>", "before its first element");
        assertRefused("\ufeff<\0G\0", "zero byte");
    }

    @Test
    void shouldKeepNamesShort() throws IOException {
        assertThat(read(inCluster("<HOST NAME=\"" + "n".repeat(5_000) + "\"/>")).nodes())
                .singleElement()
                .satisfies(node -> assertThat(node.node()).hasSize(255));
    }

    /** Hosts of before Ganglia 2.5 have no TMAX; then gmetad goes by when they were heard. */
    @ParameterizedTest
    @ValueSource(ints = {941, 940, 1_060})
    void shouldJudgeOldHostsAsGmetadDoes(int reported) throws IOException {
        NodeReport node = read(inCluster("<HOST NAME=\"h\" REPORTED=\"" + reported + "\"/>"))
                .nodes()
                .get(0);

        assertThat(node.host().isSilent()).isEqualTo(reported != 941);
        assertThat(node.sensor()).isEqualTo(Optional.empty());
    }

    /** gmetad says that a host is up while its TN is less than 4 times its TMAX. */
    @ParameterizedTest
    @ValueSource(ints = {-3_600, 0, 79, 80, 81})
    void shouldJudgeHostsAsGmetadDoes(int silent) throws IOException {
        NodeReport node = read(inCluster("<HOST NAME=\"h\" TN=\"" + silent + "\" TMAX=\"20\"/>"))
                .nodes()
                .get(0);

        assertThat(node.host().isSilent()).isEqualTo(silent >= 80);
    }

    /** Metrics of a higher level stay in gmond for ten minutes. */
    @Test
    void shouldPassOverValuesThatArePublishedNoMore() throws IOException {
        String metric = "<METRIC NAME=\"magnet_sensor_%s\" VAL=\"2\" TN=\"%d\" TMAX=\"20\"/>";
        NodeReport node = read(inCluster("<HOST NAME=\"h\" TN=\"1\" TMAX=\"20\">" + metric.formatted("missed_rate", 90)
                        + metric.formatted("lost_rate", 3) + "</HOST>"))
                .nodes()
                .get(0);

        assertThat(node.number(SensorMetrics.MISSED)).isEmpty();
        assertThat(node.number(SensorMetrics.LOST)).hasValue(2);
        assertThat(node.sensor()).hasValue(new NodeReport.Heard(3, 20));
    }
}
