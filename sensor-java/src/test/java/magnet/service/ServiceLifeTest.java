// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import magnet.handler.run.FakeHandlerKernel;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.Replacement;
import magnet.os.MonotonicClock;
import magnet.os.NotifyListener;
import magnet.publish.LogLines;
import magnet.publish.ganglia.FakeGmond;
import magnet.record.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ServiceLifeTest {
    private static final String OFF = "modules { module { name = magnet language = Java enabled = no } }";

    @TempDir
    private Path folder;

    private final List<FakeKernel> kernels = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean taken = new AtomicBoolean();
    private final LogLines watchLog = new LogLines(SetupWatch.class);
    private FakeGmond first;
    private FakeGmond second;
    private PidFile pidFile = new PidFile(Optional.empty());
    private ServiceManager manager = ServiceManager.none(MonotonicClock.SYSTEM);
    private ServiceLife life;
    private CompletableFuture<Void> run;

    @BeforeEach
    void setUp() throws IOException {
        first = new FakeGmond();
        second = new FakeGmond();
        Files.createDirectory(folder.resolve("conf.d"));
        Files.writeString(
                folder.resolve("magnet.conf"),
                "[ganglia]\ngmond-conf = " + folder + "/gmond.conf\n[publish]\ninterval = 1s\n");
        sendTo(first);
    }

    @AfterEach
    void tearDown() throws Exception {
        life.stop();
        run.get();
        assertThat(kernels)
                .allSatisfy(kernel -> assertThat(kernel.subscriptions).isEmpty());
        first.close();
        second.close();
        watchLog.close();
    }

    @Test
    void shouldPublishElsewhereInTheSameRunWhenTheChannelChanges() throws Exception {
        start();
        awaitAll(first);
        sendTo(second);
        awaitAll(second);
        assertThat(kernels).hasSize(1);
        awaitSilence(first);
    }

    @Test
    void shouldBeginAnewWhenAFileWithSettingsAppears() throws Exception {
        start();
        awaitAll(first);
        conf("conf.d/magnet.conf", """
                modules { module { name = magnet language = Java
                  param collector.watermark { value = 16K }
                  param metrics.network { value = off }
                  param metrics.journey { value = off } } }
                """);
        await().until(() -> kernels.size() == 2);
        assertThat(kernels.get(0).subscriptions).isEmpty();
        await().untilAsserted(() -> assertThat(kernels.get(1).subscriptions.values())
                .contains("sched_switch")
                .doesNotContain("udp_sendmsg"));
    }

    @Test
    void shouldPublishSomethingElseInTheSameRunWhenOnlyMetricsChange() throws Exception {
        start();
        awaitAll(first);
        FakeKernel kernel = kernels.get(0);
        Set<String> summary = points(Metrics.DEFAULT);
        assertThat(Set.copyOf(kernel.subscriptions.values())).isEqualTo(summary);
        String before = Files.readString(folder.resolve("magnet.conf"));
        for (Level level : List.of(Level.HEARTBEAT, Level.FULL, Level.SUMMARY)) {
            conf("magnet.conf", before + "[metrics]\nlevel = " + level.key() + "\n");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(Set.copyOf(kernel.subscriptions.values()))
                            .isEqualTo(points(Metrics.of(level))));
        }
        assertThat(kernels).hasSize(1);
        assertThat(kernel.closed).isFalse();
    }

    @Test
    void shouldReplaceGmondsMetricsInTheSameRunWhenToldTo() throws Exception {
        start();
        awaitAll(first);
        FakeKernel kernel = kernels.get(0);
        Set<String> before = points(Metrics.DEFAULT);
        assertThat(Set.copyOf(kernel.subscriptions.values())).isEqualTo(before);
        String conf = Files.readString(folder.resolve("magnet.conf"));
        conf("magnet.conf", conf + "[metrics]\nreplace = cpu, network\n");
        Set<String> replacing = new HashSet<>(before);
        replacing.addAll(points(Replacement.all()));
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(Set.copyOf(kernel.subscriptions.values()))
                        .isEqualTo(replacing)
                        .contains("cpu_time", "net_dev_receive"));
        conf("magnet.conf", conf);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(Set.copyOf(kernel.subscriptions.values())).isEqualTo(before));
        assertThat(kernels).hasSize(1);
        assertThat(kernel.closed).isFalse();
    }

    private static Set<String> points(List<Metric> metrics) {
        return Metrics.eventsOf(metrics).stream().map(EventType::label).collect(Collectors.toSet());
    }

    @Test
    void shouldPublishOnlyWhileItIsSwitchedOn() throws Exception {
        conf("conf.d/magnet.conf", OFF);
        start();
        assertThat(first.receive(3_000)).isNull();
        assertThat(kernels).isEmpty();
        conf("conf.d/magnet.conf", OFF.replace("no", "yes"));
        awaitAll(first);
        conf("conf.d/magnet.conf", OFF);
        await().until(() -> kernels.get(0).closed);
        assertThat(kernels.get(0).subscriptions).isEmpty();
        awaitSilence(first);
        assertThat(kernels).hasSize(1);
    }

    @Test
    void shouldGoOnAsBeforeAndSaySoOnceWhenTheFileIsMalformed() throws Exception {
        start();
        awaitAll(first);
        conf("conf.d/bad.conf", "globals {\n  mute = perhaps\n}\n");
        await().until(() -> !watchLog.lines().isEmpty());
        conf("magnet.conf", "[publish]\nintervall = 1s\n");
        await().until(() -> watchLog.lines().size() == 2);
        Thread.sleep(Duration.ofSeconds(5).toMillis());
        assertThat(watchLog.lines())
                .containsExactly(
                        "ERROR " + folder + "/conf.d/bad.conf:2: mute = 'perhaps' is neither yes nor no; what was read"
                                + " before goes on to count",
                        "ERROR " + folder + "/magnet.conf:2: unknown key 'intervall' in [publish]; did you mean"
                                + " 'interval'?; what was read before goes on to count");
        assertThat(first.receive(5_000)).as("still published").isNotNull();
        assertThat(kernels).hasSize(1);
    }

    @Test
    void shouldTellGmondEverythingAgainWhenAsked() throws Exception {
        start();
        for (int cycle = 0; cycle < 5; cycle++) {
            awaitValue(first);
        }
        awaitSilentMetadata(first);
        life.reload();
        awaitAll(first);
        assertThat(kernels).hasSize(1);
        assertThat(watchLog.lines()).isEmpty();
    }

    @Test
    void shouldTellTheServiceManagerOfEachReload() throws Exception {
        try (NotifyListener listener = listener()) {
            start();
            listener.await("READY=1");
            assertReloaded(listener, "READY=1");
            conf("magnet.conf", "[publish]\nintervall = 1s\n");
            assertReloaded(listener, "READY=1");
            conf("magnet.conf", "[ganglia]\ngmond-conf = " + folder + "/gmond.conf\n");
            assertReloaded(listener, "READY=1\nSTATUS=level summary: 61 metrics made of 26 points");
            assertThat(kernels).hasSize(2);
            conf("conf.d/magnet.conf", OFF);
            assertReloaded(listener, "READY=1\nSTATUS=switched off in " + folder + "/conf.d/magnet.conf");
            conf("magnet.conf", "[ganglia]\ngmond-conf = " + folder + "/gmond.conf\n[publish]\ninterval = 2s\n");
            assertReloaded(listener, "READY=1");
            listener.await("WATCHDOG=1");
            listener.await("WATCHDOG=1");
            life.stop();
            listener.await("STOPPING=1");
            assertThat(listener.receive(1_000)).isEmpty();
        }
    }

    @Test
    void shouldAddAndRemoveOwnHandlersInTheSameRun() throws Exception {
        start();
        awaitAll(first);
        FakeHandlerKernel handlers = kernels.get(0).handlers;
        assertThat(handlers.connections).hasValue(0);
        String before = Files.readString(folder.resolve("magnet.conf"));
        conf("magnet.conf", before + "[handler marks]\nkind = count\npoint = marker\n");
        awaitMetric(first, "magnet_marks_events_count");
        conf("magnet.conf", before + "[handler marks]\nkind = sum\npoint = marker\n");
        await().until(() -> !watchLog.lines().isEmpty());
        assertThat(watchLog.lines())
                .containsExactly(
                        "ERROR " + folder + "/magnet.conf:6: [handler marks] kind: 'sum'; allowed is count, rate,"
                                + " distribution, interval; what was read before goes on to count");
        awaitMetric(first, "magnet_marks_events_count");
        conf("magnet.conf", before + "[service]\nhandler-directory = " + folder + "/none\n");
        await().until(() -> watchLog.lines().size() == 2);
        assertThat(watchLog.lines().get(1)).contains(folder + "/none: no such folder");
        conf("magnet.conf", before);
        await().until(() -> handlers.closed);
        assertThat(handlers.subscriptions).isEmpty();
        assertThat(kernels).hasSize(1);
    }

    private static void awaitMetric(FakeGmond gmond, String name) throws IOException {
        while (!gmond.next(30_000).orElseThrow().name().equals(name)) {
            // Others go on.
        }
    }

    private NotifyListener listener() throws IOException {
        String where = folder.resolve("notify").toString();
        manager =
                ServiceManager.of(Map.of("NOTIFY_SOCKET", where, "WATCHDOG_USEC", "1000000"), 1, MonotonicClock.SYSTEM);
        return new NotifyListener(where);
    }

    private void assertReloaded(NotifyListener listener, String end) throws IOException {
        long before = System.nanoTime() / 1_000;
        life.reload();
        String message = listener.await("RELOADING=1");
        assertThat(message).startsWith("RELOADING=1\nMONOTONIC_USEC=");
        assertThat(Long.parseLong(message.substring(message.lastIndexOf('=') + 1)))
                .isBetween(before, System.nanoTime() / 1_000);
        assertThat(listener.await("READY=1")).isEqualTo(end);
    }

    @Test
    void shouldShowOpenMetricsWhereAndAsLongAsItIsConfigured() throws Exception {
        int port = freePort();
        int otherPort = freePort();
        String before = Files.readString(folder.resolve("magnet.conf"));
        start();
        awaitAll(first);
        conf("magnet.conf", before + "openmetrics = 127.0.0.1:" + port + "\n");
        life.reload();
        awaitPage(port);
        conf("magnet.conf", before + "openmetrics = 127.0.0.1:" + otherPort + "\n");
        life.reload();
        awaitPage(otherPort);
        assertNobodyListens(port);

        conf("magnet.conf", before + "openmetrics = 0.0.0.0:" + port + "\n");
        life.reload();
        await().until(() -> !watchLog.lines().isEmpty());
        assertThat(watchLog.lines())
                .singleElement()
                .asString()
                .startsWith("ERROR " + folder + "/magnet.conf:5: [publish] openmetrics = '0.0.0.0:" + port
                        + "'; allowed is a loopback address");
        awaitPage(otherPort);
        assertNobodyListens(port);

        conf("magnet.conf", before + "openmetrics = 127.0.0.1:" + otherPort + "\n");
        conf("conf.d/magnet.conf", OFF);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertNobodyListens(otherPort));
        conf(
                "conf.d/magnet.conf",
                OFF.replace("enabled = no", "param publish.openmetrics { value = \"[::1]:" + port + "\" }"));
        conf("magnet.conf", before);
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> connect("::1", port).close());
        life.stop();
        run.get();
        assertThatThrownBy(() -> connect("::1", port)).isInstanceOf(ConnectException.class);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void awaitPage(int port) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .timeout(Duration.ofSeconds(10))
                .build();
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> assertThat(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.ofString())
                                .body()
                                .lines()
                                .filter(line -> line.startsWith("magnet_")))
                        .hasSameSizeAs(Metrics.DEFAULT));
    }

    private static Socket connect(String host, int port) throws IOException {
        return new Socket(host, port);
    }

    private static void assertNobodyListens(int port) {
        assertThatThrownBy(() -> connect("127.0.0.1", port)).isInstanceOf(ConnectException.class);
    }

    @Test
    void shouldGoOnAsBeforeWhenGmondConfIsGone() throws Exception {
        start();
        awaitAll(first);
        try (LogLines log = new LogLines(ServiceLife.class)) {
            Files.delete(folder.resolve("gmond.conf"));
            await().until(() -> !log.lines().isEmpty());
            assertThat(log.lines())
                    .containsExactly(
                            "ERROR " + folder + "/gmond.conf: no such file; what was read before goes on to count");
        }
        assertThat(first.receive(5_000)).as("still published").isNotNull();
        sendTo(second);
        awaitAll(second);
    }

    @Test
    void shouldHaveAPidFileThroughItsRuns() throws Exception {
        Path file = folder.resolve("pid");
        pidFile = new PidFile(Optional.of(file));
        start();
        awaitAll(first);
        assertThat(file).hasContent(ProcessHandle.current().pid() + "\n");
        conf("magnet.conf", Files.readString(folder.resolve("magnet.conf")) + "window = 30s\n");
        await().until(() -> kernels.size() > 1);
        awaitAll(first);
        assertThat(file).exists();
        pidFile.remove();
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldHaveAPidFileWhenItIsSwitchedOff() throws Exception {
        Path file = folder.resolve("pid");
        pidFile = new PidFile(Optional.of(file));
        conf("conf.d/magnet.conf", OFF);
        start();
        await().until(() -> Files.exists(file));
        assertThat(kernels).isEmpty();
    }

    @Test
    void shouldWaitWhenTheModuleHasNotLetGoOfTheLastRunYet() throws Exception {
        start();
        awaitAll(first);
        taken.set(true);
        conf("magnet.conf", Files.readString(folder.resolve("magnet.conf")) + "window = 30s\n");
        await().until(() -> kernels.size() > 3);
        taken.set(false);
        awaitAll(first);
    }

    private void conf(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private void sendTo(FakeGmond gmond) throws IOException {
        conf(
                "gmond.conf",
                "udp_send_channel { host = 127.0.0.1 port = %d }\ninclude ('%s/conf.d/*.conf')\n"
                        .formatted(gmond.port(), folder));
    }

    private void start() throws Exception {
        SetupFiles files = new SetupFiles(Optional.of(folder.resolve("magnet.conf")), Path.of("/none"));
        life = new ServiceLife(
                files,
                files.read(),
                config -> {
                    FakeKernel kernel = new FakeKernel();
                    kernel.taken = taken.get();
                    kernels.add(kernel);
                    return kernel;
                },
                new MagnetService.Clocks(MonotonicClock.SYSTEM, InstantSource.system(), Instant.EPOCH),
                manager,
                pidFile,
                Optional.empty());
        run = CompletableFuture.runAsync(() -> {
            try {
                life.run();
            } catch (ServiceException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Until metadata of every metric has come. */
    private static void awaitAll(FakeGmond gmond) throws IOException {
        Set<String> names = new HashSet<>();
        while (names.size() < Metrics.DEFAULT.size()) {
            FakeGmond.Packet packet = gmond.next(30_000).orElseThrow();
            if (packet.isMetadata()) {
                names.add(packet.name());
            }
        }
    }

    private static void awaitValue(FakeGmond gmond) throws IOException {
        String last = Metrics.DEFAULT.get(Metrics.DEFAULT.size() - 1).name();
        FakeGmond.Packet packet = gmond.next(30_000).orElseThrow();
        while (packet.isMetadata() || !packet.name().equals(last)) {
            packet = gmond.next(30_000).orElseThrow();
        }
    }

    /** Until as many values as there are metrics have come in a row. */
    private static void awaitSilentMetadata(FakeGmond gmond) throws IOException {
        for (int values = 0; values < Metrics.DEFAULT.size(); ) {
            values = gmond.next(30_000).orElseThrow().isMetadata() ? 0 : values + 1;
        }
    }

    /** Until nothing has come for three publications. */
    private static void awaitSilence(FakeGmond gmond) throws IOException {
        while (gmond.next(3_000).isPresent()) {
            // What was on its way.
        }
    }
}
