// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Tree;

/** gmetad and Ganglia's web front end, run by {@code integration-tests/web/serve}. Closing it ends them. */
final class FrontEnd implements AutoCloseable {
    /** Name that web/node gives to the cluster. */
    static final String CLUSTER = "magnet%20demo";

    private static final int PORTS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Process process;
    private final int port;
    private final HttpClient client = HttpClient.newHttpClient();

    private FrontEnd(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts them with the reports of this tree. They end when the thread that calls this does.
     *
     * @param folder where their logs and RRD files go
     * @param gmond port of the loopback address at which gmond answers
     */
    static FrontEnd start(Path folder, int gmond) throws IOException {
        return start(folder, gmond, List.of());
    }

    /** The same with the reports that the package magnet-ganglia-web in another folder installs. */
    static FrontEnd start(Path folder, int gmond, Path packages) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(packages, "magnet-ganglia-web_*.deb")) {
            return start(folder, gmond, List.of(found.iterator().next().toString()));
        }
    }

    private static FrontEnd start(Path folder, int gmond, List<String> more) throws IOException {
        int port = freePorts();
        String serve = Tree.root().resolve("integration-tests/web/serve").toString();
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--pdeathsig", "KILL", serve, folder.toString(), "" + port, "" + gmond));
        command.addAll(more);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("serve.log").toFile())
                .start();
        return new FrontEnd(process, port);
    }

    /** The first of some that nobody has, next to each other. */
    private static int freePorts() throws IOException {
        while (true) {
            try (ServerSocket first = listen(0);
                    ServerSocket second = listen(first.getLocalPort() + 1);
                    ServerSocket third = listen(first.getLocalPort() + PORTS - 1)) {
                return Math.min(first.getLocalPort(), Math.min(second.getLocalPort(), third.getLocalPort()));
            } catch (java.net.BindException e) {
                // somebody has one of them
            }
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    /** The address of a page or graph. */
    String url(String path) {
        return "http://127.0.0.1:" + port + "/ganglia/" + path;
    }

    /** The address of a report's graph, of the last five minutes of a host. */
    String graph(String host, String report) {
        return url("graph.php?g=" + report + "&h=" + host + "&c=" + CLUSTER + "&r=5min&z=large");
    }

    /** What it answers; empty if it does not answer with 200. */
    String get(String path) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("web/serve ended, exit code " + process.exitValue());
        }
        try {
            var answer = client.send(request(path), BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (java.net.ConnectException e) {
            return "";
        }
    }

    /** Saves what it answers. */
    Path save(String path, Path file) throws IOException, InterruptedException {
        return client.send(request(path), BodyHandlers.ofFile(file)).body();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(url(path))).timeout(LIMIT).build();
    }

    /** The series that a report draws on the page of a host, with their values. */
    List<Series> series(String host, String report) throws IOException, InterruptedException {
        return drawn("graph.php?g=" + report + "&h=" + host + "&c=" + CLUSTER + "&r=5min");
    }

    /** The series that a report draws on the page of the cluster. */
    List<Series> seriesOfCluster(String report) throws IOException, InterruptedException {
        return drawn("graph.php?g=" + report + "&c=" + CLUSTER + "&r=5min");
    }

    /** The series of a graph. */
    List<Series> drawn(String graph) throws IOException, InterruptedException {
        return Series.parse(get(graph + "&json=1"));
    }

    /** What gmetad tells of all clusters. */
    GmondXml gmetad() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port + 1)) {
            return GmondXml.parse(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        }
    }

    /** Ends it at once, which ends all that it has started. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
