// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import magnet.config.ConfigReader;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.os.MonotonicClock;
import magnet.os.NotifyListener;
import magnet.publish.ganglia.FakeGmond;
import magnet.publish.ganglia.GangliaSink;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MagnetServiceTest {
    @TempDir
    private Path folder;

    private final FakeKernel kernel = new FakeKernel();
    private ServiceManager manager = ServiceManager.none(MonotonicClock.SYSTEM);
    private FakeGmond gmond;
    private Path report;

    @BeforeEach
    void setUp() throws IOException {
        gmond = new FakeGmond();
        report = folder.resolve("report.json");
    }

    @AfterEach
    void tearDown() {
        gmond.close();
    }

    @Test
    void shouldPublishEveryMetricSoonWhenItHasJustStarted() throws Exception {
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot();
        assertThat(values).hasSize(Metrics.DEFAULT.size());
        for (Metric metric : Metrics.DEFAULT) {
            assertThat(values.get(metric.name())).as(metric.name()).matches("\\d+(\\.\\d+)?");
        }
        assertThat(values.get("magnet_sensor_points_failed")).isEqualTo("0");
        assertThat(Double.parseDouble(values.get("magnet_sensor_window_length")))
                .isBetween(1.0, 5.0);
        assertThat(Double.parseDouble(values.get("magnet_sensor_memory_resident")))
                .isGreaterThan(1e7);
        service.stop();
        run.get();
    }

    @Test
    void shouldGoOnWithoutItsMetricsWhenAPointIsMissing() throws Exception {
        kernel.missing.put("sched_wakeup", "no such point");
        kernel.gaps.put("udp_sendmsg", "ipv6: none of udpv6_sendmsg");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot();
        assertThat(values.get("magnet_sensor_points_failed")).isEqualTo("1");
        assertThat(values).hasSize(Metrics.DEFAULT.size() - 4).doesNotContainKey("magnet_sched_run_queue_wait_max");
        assertThat(values).containsKey("magnet_sched_time_slice_max");
        service.stop();
        run.get();
        assertThat(Files.readString(report)).contains("\"points_failed\": {\"sched_wakeup\": \"no such point\"}");
    }

    @Test
    void shouldLeaveOutWhatNeedsThreadsWhenTheLayoutIsClassic() throws Exception {
        kernel.layout = RecordLayout.CLASSIC;
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot();
        long needThreads = Metrics.DEFAULT.stream().filter(Metric::byThread).count();
        assertThat(values).hasSize(Metrics.DEFAULT.size() - (int) needThreads);
        assertThat(kernel.subscriptions.values())
                .contains(EventType.UDP_SENDMSG.label())
                .doesNotContain(EventType.SCHED_SWITCH.label());
        service.stop();
        run.get();
    }

    @Test
    void shouldLeaveNothingBehindAndReportWhenStopped() throws Exception {
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        firstSnapshot();
        kernel.exec(10_007);
        service.stop();
        run.get();
        assertThat(kernel.subscriptions).isEmpty();
        assertThat(kernel.sourceClosed).isTrue();
        assertThat(Files.readString(report))
                .startsWith("{\"end\": \"stopped\", \"started\": \"1970-01-01T00:00:00Z\", \"seconds\": ")
                .endsWith("}\n")
                .contains(
                        "\"events\": 10007, \"lost\": 0, \"lost_by_cpu\": {}, \"late\": 0, \"events_by_cpu\": {\"0\": 10007}")
                .contains("\"events_by_id\": {\"sched_process_exec\": 10007}")
                .contains("\"point\": \"sched_process_exec\", \"event\": 289, \"cpus\": [{\"cpu\": 0, \"hits\": 10007, "
                        + "\"committed\": 10007, \"delivered\": 10007, \"filtered\": 0, ")
                .contains("\"metrics_published\": " + Metrics.DEFAULT.size() + ", \"snapshots_published\": 1")
                .contains("\"seconds_to_first_publish\": ");
    }

    @Test
    void shouldEndWithItsCodeWhenTheModuleIsUnloaded() throws Exception {
        CompletableFuture<Void> run = start(service());
        firstSnapshot();
        kernel.unload();
        ServiceException error = failure(run);
        assertThat(error.exitCode()).isEqualTo(ExitCode.MODULE_GONE);
        assertThat(error).hasMessageContaining("unloaded");
        assertThat(Files.readString(report)).startsWith("{\"end\": \"module unloaded\"");
    }

    @Test
    void shouldEndWithItsCodeWhenAnotherOneRuns() throws Exception {
        kernel.taken = true;
        assertThat(failure(start(service())).exitCode()).isEqualTo(ExitCode.ALREADY_RUNNING);
        assertThat(report).doesNotExist();
    }

    @Test
    void shouldEndAtOnceWhenStoppedBeforeItRuns() throws Exception {
        MagnetService service = service();
        service.stop();
        start(service).get();
        assertThat(kernel.subscriptions).isEmpty();
    }

    @Test
    void shouldWriteRecordsAndWindowsWhenATeeIsWanted() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[service]\ntee-directory = " + folder + "/tee\n");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        firstSnapshot();
        kernel.exec(3);
        service.stop();
        run.get();
        assertThat(folder.resolve("tee/records.raw")).hasSize(3 * 40);
        assertThat(Files.readAllLines(folder.resolve("tee/windows.jsonl"))).hasSize(1);
    }

    @Test
    void shouldTellTheServiceManagerThatItIsReadyAndAliveAndHowItIs() throws Exception {
        String where = folder.resolve("notify").toString();
        manager =
                ServiceManager.of(Map.of("NOTIFY_SOCKET", where, "WATCHDOG_USEC", "200000"), 1, MonotonicClock.SYSTEM);
        try (NotifyListener listener = new NotifyListener(where)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            String status = "STATUS=level summary: 60 metrics made of 26 points";
            assertThat(listener.await("READY=1")).isEqualTo("READY=1\n" + status);
            for (int beat = 0; beat < 3; beat++) {
                listener.await("WATCHDOG=1");
            }
            assertThat(listener.await(status + "; 0 events/s, 0 lost/s")).doesNotContain("READY");
            kernel.stall();
            assertThat(silence(listener)).as("while the loop stands still").isTrue();
            kernel.goOn();
            listener.await("WATCHDOG=1");
            service.stop();
            run.get();
        }
    }

    /** What was under way may still come, then nothing for five times as long as there is between two signs of life. */
    private static boolean silence(NotifyListener listener) throws IOException {
        for (int messages = 0; messages < 100; messages++) {
            if (listener.receive(500).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private MagnetService service() throws Exception {
        Path conf = folder.resolve("magnet.conf");
        if (!Files.exists(conf)) {
            Files.writeString(conf, "");
        }
        return new MagnetService(
                ConfigReader.read(conf),
                kernel,
                ganglia(),
                new MagnetService.Clocks(MonotonicClock.SYSTEM, InstantSource.system(), Instant.EPOCH),
                manager,
                Optional.of(report));
    }

    private GangliaSink ganglia() throws IOException, GmondConfigException {
        Path conf = folder.resolve("gmond.conf");
        Files.writeString(conf, "udp_send_channel { host = 127.0.0.1 port = %d }".formatted(gmond.port()));
        return GangliaSink.of(GmondConfig.read(conf), 5);
    }

    private static CompletableFuture<Void> start(MagnetService service) {
        return CompletableFuture.runAsync(() -> {
            try {
                service.run();
            } catch (ServiceException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static ServiceException failure(CompletableFuture<Void> run) {
        await().until(run::isDone);
        ExecutionException error = catchThrowableOfType(ExecutionException.class, run::get);
        return (ServiceException) error.getCause().getCause();
    }

    private Map<String, String> firstSnapshot() throws IOException {
        List<FakeGmond.Packet> packets = gmond.receiveAll();
        assertThat(packets).filteredOn(FakeGmond.Packet::isMetadata).hasSize(packets.size() / 2);
        Map<String, String> values = new HashMap<>();
        packets.stream()
                .filter(packet -> !packet.isMetadata())
                .forEach(packet -> values.put(packet.name(), packet.value()));
        return values;
    }
}
