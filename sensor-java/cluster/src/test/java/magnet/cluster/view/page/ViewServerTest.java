// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.xml.parsers.DocumentBuilderFactory;
import magnet.cli.world.SavedOwners;
import magnet.cluster.view.MadeUpRun;
import magnet.cluster.view.PrintingWorld;
import magnet.cluster.view.index.RunIndex;
import magnet.cluster.view.index.RunIndexer;
import magnet.cluster.view.index.Subject;
import magnet.cluster.view.index.ThreadHistory;
import magnet.json.Json;
import magnet.trace.TraceReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

final class ViewServerTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    /** Events are lost on n3 while its receiver waits for the CPU: nobody knows how long it did. */
    private static final int LATE_ON_N3 = MadeUpRun.DATAGRAMS - 1;

    /** A datagram that comes to n3 at about this time; its receiver has to wait. */
    private static final long LATE = 30_000_000;

    @TempDir
    private static Path folder;

    private static RunIndex index;
    private static ViewServer server;

    @BeforeAll
    static void serve() throws IOException {
        MadeUpRun.write(folder.resolve("run"), 1);
        try (RunIndexer indexer = new RunIndexer(Files.createDirectory(folder.resolve("index")), true)) {
            for (String name : NODES) {
                try (TraceReader trace = TraceReader.open(folder.resolve("run").resolve(name))) {
                    indexer.add(
                            name,
                            trace,
                            SavedOwners.of(trace, new PrintingWorld(folder).world()),
                            RunIndexer.Between.NOTHING,
                            UnaryOperator.identity());
                }
            }
            index = indexer.finish(UnaryOperator.identity());
        }
        View view = View.of(
                "a run with <angles> & more",
                index,
                true,
                List.of("a remark"),
                (one, other, ns) -> one == other ? 0 : 5_000);
        server = ViewServer.open(0, view);
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
        index.close();
    }

    private static HttpResponse<byte[]> get(String what) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(server.url() + what)).build(), BodyHandlers.ofByteArray());
    }

    private static Map<?, ?> json(String what) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = get(what);
        String body = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(body).isEqualTo(200);
        return Json.object(body.startsWith("[") ? "{\"all\": " + body + "}" : body);
    }

    private static long number(Object object) {
        return ((Double) object).longValue();
    }

    /** The first line of what comes for a request that no client would send. */
    private static String raw(String request) throws IOException {
        URI url = URI.create(server.url());
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(12), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldServeThePageToWhoKnowsTheTokenAlone() throws IOException, InterruptedException {
        URI url = URI.create(server.url());
        String host = "127.0.0.1:" + url.getPort();
        assertThat(url.getHost()).isEqualTo("127.0.0.1");
        assertThat(url.getPath()).matches("/[0-9a-f]{32}/");
        assertThat(new String(get("").body(), StandardCharsets.UTF_8)).contains("<title>magnet view</title>");
        for (String path : List.of("/", "/view.js", url.getPath().substring(0, 33), "/" + "0".repeat(32) + "/run")) {
            assertThat(raw("GET " + path + " HTTP/1.1\nHost: " + host + "\n\n")).endsWith("404");
        }
        String page = url.getPath() + "run";
        assertThat(raw("GET " + page + " HTTP/1.1\nHost: " + host + "\n\n")).endsWith("200");
        assertThat(raw("GET " + page + " HTTP/1.1\nHost: localhost:" + url.getPort() + "\n\n"))
                .endsWith("200");
        assertThat(raw("GET " + page + " HTTP/1.1\nHost: attacker.example:" + url.getPort() + "\n\n"))
                .endsWith("404");
        assertThat(raw("GET " + page + " HTTP/1.1\nHost: 127.0.0.1\n\n")).endsWith("404");
        assertThat(raw("POST " + page + " HTTP/1.1\nHost: " + host + "\nContent-Length: 0\n\n"))
                .endsWith("405");
    }

    @Test
    void shouldLetThePageLoadNothingFromElsewhere() throws IOException, InterruptedException {
        HttpResponse<byte[]> page = get("");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'");
        assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(page.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        for (String file : List.of("view.js", "lanes.js", "panel.js", "server.js", "units.js", "view.css")) {
            HttpResponse<byte[]> each = get(file);
            assertThat(each.statusCode()).isEqualTo(200);
            assertThat(new String(each.body(), StandardCharsets.UTF_8)).doesNotContain("http://", "https://");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pixels?from=0&to=1000&width=0&lanes=0.0",
                "pixels?from=0&to=0&width=10&lanes=0.0",
                "pixels?from=0&to=1000&width=10&lanes=",
                "pixels?from=0&to=1000&width=10&lanes=7.0",
                "pixels?from=0&to=1000&width=10&lanes=0.9",
                "pixels?from=-99999999999999999999&to=1000&width=10&lanes=0.0",
                "slices?from=a&to=1000&node=0&cpu=0",
                "thread?from=0&to=1000&node=0&thread=2",
                "thread?from=0&to=1000&node=0&thread=99999999",
                "longest?from=0&to=1000&kind=all",
                "stats?from=0",
                "search?q=x&most=100000",
                "stats?from=%zz&to=1"
            })
    void shouldRefuseQuestionsThatCannotBeAnswered(String question) throws IOException, InterruptedException {
        // No client of Java sends the last one.
        URI url = URI.create(server.url());
        assertThat(raw("GET " + url.getPath() + question + " HTTP/1.1\nHost: 127.0.0.1:" + url.getPort() + "\n\n"))
                .endsWith("400");
    }

    @Test
    void shouldTellOfTheRun() throws IOException, InterruptedException {
        Map<?, ?> run = json("run");
        assertThat(run.get("remarks")).isEqualTo(List.of("a remark"));
        assertThat((List<?>) run.get("nodes")).hasSize(3);
        assertThat(number(run.get("arrows"))).isEqualTo(2 * MadeUpRun.DATAGRAMS);
        assertThat(((Map<?, ?>) run.get("jobs")).keySet()).hasSize(2);
    }

    @Test
    void shouldFindTheRemoteWaitsFirstThatAreLongest() throws IOException, InterruptedException {
        List<?> all = (List<?>)
                json("longest?kind=remote&most=1000&from=0&to=" + index.endNs()).get("all");
        assertThat(all).hasSize(MadeUpRun.DATAGRAMS + LATE_ON_N3);
        Map<?, ?> first = (Map<?, ?>) all.get(0);
        assertThat(number(first.get("node"))).isEqualTo(2);
        assertThat(first.get("name")).isEqualTo("rank2");
        assertThat(first.get("ran")).isEqualTo("hog");
        assertThat(first.get("sender")).isEqualTo("rank0");
        assertThat(number(first.get("sender_node"))).isZero();
        long before = Long.MAX_VALUE;
        for (Object each : all) {
            Map<?, ?> row = (Map<?, ?>) each;
            long length = number(row.get("to")) - number(row.get("from"));
            assertThat(length).isLessThanOrEqualTo(before);
            before = length;
        }
    }

    @Test
    void shouldPaintAKnownPixel() throws IOException, InterruptedException {
        // On n3 a hog has CPU 0, and the receiver waits with its packet.
        byte[] pixels =
                get("pixels?from=31000000&to=31001000&width=1&lanes=2.0").body();
        assertThat(pixels).hasSize(Pixels.BYTES);
        Map<?, ?> run = json("run");
        long colour = number(((Map<?, ?>) run.get("jobs")).get("slurm:4712"));
        assertThat(pixels).containsExactly(255, (int) colour, 0, 0, 0, 255);
        // Lost on CPU 1 of all nodes at some time, and idle at another.
        long lost = lostAt();
        assertThat(get("pixels?from=" + lost + "&to=" + (lost + 1_000) + "&width=1&lanes=0.1")
                        .body())
                .containsExactly(0, 0, 255, 0, 0, 0);
    }

    private static long lostAt() {
        var lane = index.nodes().get(0).cpus().get(1).threads();
        long slice = 0;
        while (lane.subject(slice) != Subject.LOST) {
            slice++;
        }
        return index.nodes().get(0).axis().ns(lane.begin(slice)) + 1_000;
    }

    @Test
    void shouldTellOfSlicesAndThreads() throws IOException, InterruptedException {
        String span = "from=" + LATE + "&to=" + (LATE + 2_000_000);
        List<?> slices = (List<?>) json("slices?node=2&cpu=0&" + span).get("threads");
        assertThat(((Map<?, ?>) slices.get(0)).get("name")).isEqualTo("hog");
        Map<?, ?> found = json("search?q=RANK2");
        Map<?, ?> thread = (Map<?, ?>) ((List<?>) found.get("threads")).get(0);
        String which = "node=2&thread=" + number(thread.get("thread")) + "&" + span;
        List<?> spans = (List<?>) json("thread?" + which).get("spans");
        assertThat(spans.stream().map(each -> String.valueOf(((Map<?, ?>) each).get("state"))))
                .contains("sleeping", "late");
        byte[] pixels = get("thread-pixels?width=100&" + which).body();
        assertThat(pixels).hasSize(100 * ThreadHistory.State.values().length);
        assertThat(pixels[99 * 7 + 2] & 0xff).isEqualTo(255);
    }

    @Test
    void shouldTellOfPacketsWithTheBoundOfTheClocks() throws IOException, InterruptedException {
        Map<?, ?> all = json("arrows?most=1000&from=0&to=" + index.endNs());
        assertThat(number(all.get("in_all"))).isEqualTo(2 * MadeUpRun.DATAGRAMS);
        Map<?, ?> arrow = (Map<?, ?>) ((List<?>) all.get("arrows")).get(0);
        assertThat(arrow.get("sender")).isEqualTo("rank0");
        assertThat(number(arrow.get("bound"))).isEqualTo(5_000);
        assertThat(number(arrow.get("received"))).isGreaterThan(number(arrow.get("sent")));
        assertThat((List<?>) json("arrows?most=10&from=0&to=" + index.endNs()).get("arrows"))
                .hasSizeLessThanOrEqualTo(10);
        List<?> markers =
                (List<?>) json("markers?most=1000&from=0&to=" + index.endNs()).get("markers");
        assertThat(markers).hasSize(MadeUpRun.DATAGRAMS);
    }

    @Test
    void shouldDrawAPictureThatIsXml() throws Exception {
        HttpResponse<byte[]> svg =
                get("picture.svg?width=1000&lanes=0.0,0.1,1.0,1.1,2.0,2.1&from=0&to=" + index.endNs());
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(svg.body()));
        NodeList lines = document.getElementsByTagName("line");
        int arrows = 0;
        for (int i = 0; i < lines.getLength(); i++) {
            arrows += lines.item(i).getAttributes().getNamedItem("class") == null ? 0 : 1;
        }
        assertThat(arrows).isEqualTo(2 * MadeUpRun.DATAGRAMS);
        assertThat(document.getElementsByTagName("text").item(0).getTextContent())
                .isEqualTo("a run with <angles> & more");
    }

    @Test
    void shouldCountASelection() throws IOException, InterruptedException {
        Map<?, ?> stats = json("stats?from=0&to=" + index.endNs());
        Map<?, ?> third = (Map<?, ?>) ((List<?>) stats.get("nodes")).get(2);
        assertThat(number(third.get("packet_waits"))).isEqualTo(LATE_ON_N3);
        assertThat(number(stats.get("arrows"))).isEqualTo(2 * MadeUpRun.DATAGRAMS);
    }
}
