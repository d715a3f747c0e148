// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.it.guest.Tree;

/** gmetad and Ganglia's web front end, run by {@code integration-tests/web/serve}. Closing it ends them. */
final class FrontEnd implements AutoCloseable {
    /** Name that web/node gives to the cluster. */
    static final String CLUSTER = "magnet%20demo";

    private static final int PORTS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Process process;
    private final String address;
    private final HttpClient client = HttpClient.newHttpClient();

    private FrontEnd(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts them. They end when the thread that calls this does.
     *
     * @param folder where their logs and RRD files go
     * @param gmond port of the loopback address at which gmond answers
     */
    static FrontEnd start(Path folder, int gmond) throws IOException {
        int port = freePorts();
        String serve = Tree.root().resolve("integration-tests/web/serve").toString();
        Process process = new ProcessBuilder(
                        "setpriv", "--pdeathsig", "KILL", serve, folder.toString(), "" + port, "" + gmond)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("serve.log").toFile())
                .start();
        return new FrontEnd(process, "http://127.0.0.1:" + port + "/ganglia/");
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
        return address + path;
    }

    /** The address of a report's graph, of the last five minutes of the guest. */
    String graph(String report) {
        return url("graph.php?g=" + report + "&h=magnet-guest&c=" + CLUSTER + "&r=5min&z=large");
    }

    /** What it answers; empty if it does not answer with 200. */
    String get(String path) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("web/serve ended, exit code " + process.exitValue());
        }
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url(path))).timeout(LIMIT).build();
        try {
            var answer = client.send(request, BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (java.net.ConnectException e) {
            return "";
        }
    }

    /** The series that a report draws, with their values. */
    List<Series> series(String report) throws IOException, InterruptedException {
        return Series.parse(get("graph.php?g=" + report + "&h=magnet-guest&c=" + CLUSTER + "&r=5min&json=1"));
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
