// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.config.ConfigReader;
import magnet.machine.CgroupHierarchy;
import magnet.machine.UnwatchedJobs;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.DetailLevel;
import magnet.measure.DoubtLog;
import magnet.measure.PointControl;
import magnet.measure.ReadingTotals;
import magnet.metric.DropReason;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.os.MonotonicClock;
import magnet.os.NotifyListener;
import magnet.publish.LogLines;
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
    private static final int MANY = 1_000_000;
    /** While a window waits for the conductor, the collector looks at it every 20 ms. */
    private static final int TURNS = 100;

    /** As long as a test may take. */
    private static final int PATIENCE_MILLIS = 60_000;

    @TempDir
    private Path folder;

    private PidFile pidFile = new PidFile(Optional.empty());
    private final FakeKernel kernel = new FakeKernel();
    private ServiceManager manager = ServiceManager.none(MonotonicClock.SYSTEM);
    private MagnetService.Clocks clocks =
            new MagnetService.Clocks(MonotonicClock.SYSTEM, InstantSource.system(), Instant.EPOCH);
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
        for (Metric metric : Metrics.DEFAULT) {
            assertThat(values.get(metric.name()))
                    .as(metric.name())
                    .matches(metric.equals(SensorMetrics.VERSION) ? ".+, module 0\\.1\\.0" : "\\d+(\\.\\d+)?");
        }
        assertThat(values.get("magnet_sensor_points_failed")).isEqualTo("0");
        assertThat(Double.parseDouble(values.get("magnet_sensor_window_length")))
                .isBetween(0.5, 60.0);
        assertThat(Double.parseDouble(values.get("magnet_sensor_memory_resident")))
                .isGreaterThan(1e7);
        service.stop();
        run.get();
        assertPublished(Metrics.DEFAULT.size());
    }

    @Test
    void shouldBeginTheFirstWindowWhenAllPointsAreSubscribed() throws Exception {
        kernel.execsAtOnce = 5;
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot();
        assertThat(values.get("magnet_sensor_events_rate")).isEqualTo("0");
        assertThat(values.get("magnet_process_execs_rate")).isEqualTo("0");
        service.stop();
        run.get();
        assertThat(Files.readString(report)).contains("\"events\": 5");
    }

    @Test
    void shouldReadWhatWaitsBeforeAWindowEnds() throws Exception {
        kernel.execsThatWait.set(5);
        kernel.counts.put(CollectorCounter.LATE, 1_000L);
        Files.writeString(folder.resolve("magnet.conf"), "[metrics]\nlevel = full\n");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot(Metrics.of(Level.FULL).size());
        double window = Double.parseDouble(values.get("magnet_sensor_window_length"));
        assertThat(Double.parseDouble(values.get("magnet_process_execs_rate")) * window)
                .isCloseTo(5, within(1e-3));
        assertThat(values.get("magnet_sensor_late_rate"))
                .as("before the first window")
                .isEqualTo("0");
        kernel.longestAway.set(2_500_000);
        kernel.longestCycle.set(1_500_000);
        await().until(() -> nextValue("magnet_sensor_cycle_time_max") == 1_500);
        assertThat(nextValue("magnet_sensor_away_time_max")).isEqualTo(2_500);
        service.stop();
        run.get();
    }

    private void raiseWhenProgramsAreExecuted() throws IOException {
        Files.writeString(folder.resolve("magnet.conf"), """
                [publish]
                interval = 1s
                [metrics]
                raise-when = magnet_process_execs_rate > 0
                """);
    }

    /** On a busy machine the kernel takes seconds to hook all points of another level: just then nothing may be missed. */
    @Test
    void shouldReadAndPublishWhileTheKernelTakesLongToChangeTheLevel() throws Exception {
        raiseWhenProgramsAreExecuted();
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        nextWindow();
        kernel.answers.drainPermits();
        kernel.exec(7);
        await().until(kernel.answers::hasQueuedThreads);
        kernel.execsThatWait.set(1_000);
        double execs;
        do {
            awaitEndOfWindow();
            kernel.answers.release();
            execs = nextValue("magnet_process_execs_rate") * nextWindow();
            assertThat(nextValue("magnet_sensor_detail_level"))
                    .as("what is measured now")
                    .isEqualTo(Level.SUMMARY.number());
        } while (execs < 900); // They are read though the answers have not all come.
        assertThat(kernel.subscriptions.values()).doesNotContain(EventType.SCHED_MIGRATE_TASK.label());
        kernel.answers.release(MANY);
        assertThat(nextValue("magnet_sched_migrations_rate")).isZero();
        awaitLevel(Level.FULL);
        service.stop();
        run.get();
    }

    @Test
    void shouldNotSpinWhileTheConductorIsBehind() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[publish]\ninterval = 1s\n");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        nextWindow();
        kernel.doubtsToTell.drainPermits();
        int ended;
        do {
            ended = kernel.reads.get();
            awaitTurns();
        } while (kernel.reads.get() > ended);
        int looks = kernel.looks.get();
        awaitTurns();
        assertThat(kernel.looks).as("without a wait").hasValue(looks);
        assertThat(kernel.reads).as("windows that ended").hasValue(ended);
        kernel.doubtsToTell.release(MANY);
        int behind = ended;
        await().until(() -> kernel.reads.get() > behind);
        service.stop();
        run.get();
    }

    @Test
    void shouldSayWhichLevelAChangeWasForThoughItIsOverByThen() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), """
                [publish]
                interval = 1s
                window = 1s
                [metrics]
                raise-when = magnet_process_execs_rate > 0
                raise-for = 1s
                """);
        try (LogLines log = new LogLines(MagnetService.class);
                LogLines levels = new LogLines(DetailLevel.class)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            nextWindow();
            kernel.answers.drainPermits();
            kernel.exec(7);
            while (!levels.lines().contains("INFO back to level summary")) {
                // It is over before its points are there.
                awaitEndOfWindow();
                kernel.answers.release();
                nextWindow();
            }
            kernel.answers.release(MANY);
            await().until(() -> log.lines().stream().anyMatch(line -> line.startsWith("INFO level summary: ")));
            assertThat(log.lines().stream().filter(line -> line.startsWith("INFO level ")))
                    .hasSize(2)
                    .first()
                    .asString()
                    .startsWith("INFO level full: " + Metrics.of(Level.FULL).size() + " metrics");
            service.stop();
            run.get();
        }
    }

    /** Until a window has ended, which the conductor is to complete, or it is as far behind as it may be. */
    private void awaitEndOfWindow() {
        int ended = kernel.reads.get();
        int before = kernel.waits.get();
        await().until(() -> kernel.reads.get() > ended || kernel.waits.get() > before + TURNS);
        int turns = kernel.waits.get();
        await().until(() -> kernel.waits.get() > turns);
    }

    /** Longer than an interval of a second, if the collector waits in each turn as long as it may. */
    private void awaitTurns() {
        int before = kernel.waits.get();
        await().until(() -> kernel.waits.get() > before + TURNS);
    }

    private void awaitLevel(Level level) throws IOException {
        while (nextValue("magnet_sensor_detail_level") != level.number()) {
            // The window that changes it is on its way.
        }
    }

    private double nextValue(String metric) throws IOException {
        while (true) {
            FakeGmond.Packet packet = next();
            if (!packet.isMetadata() && packet.name().equals(metric)) {
                return Double.parseDouble(packet.value());
            }
        }
    }

    @Test
    void shouldGoOnWithoutItsMetricsWhenAPointIsMissing() throws Exception {
        kernel.missing.put("sched_wakeup", "no such point");
        kernel.gaps.put("udp_sendmsg", "ipv6: none of udpv6_sendmsg");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        Map<String, String> values = firstSnapshot(Metrics.DEFAULT.size() - 4);
        assertThat(values.get("magnet_sensor_points_failed")).isEqualTo("1");
        assertThat(values).doesNotContainKey("magnet_sched_run_queue_wait_max");
        assertThat(values).containsKey("magnet_sched_time_slice_max");
        service.stop();
        run.get();
        assertPublished(Metrics.DEFAULT.size() - 4);
        assertThat(Files.readString(report)).contains("\"points_failed\": {\"sched_wakeup\": \"no such point\"}");
    }

    @Test
    void shouldTellWhatTheKernelDoesThatMakesFiguresFalse() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[publish]\ninterval = 1s\n[metrics]\nlevel = full\n");
        kernel.doubts = new PointControl.Doubts(true, 17);
        MagnetService service = service();
        try (LogLines lines = new LogLines(DoubtLog.class)) {
            CompletableFuture<Void> run = start(service);
            assertThat(nextValue("magnet_sensor_points_blind")).isEqualTo(17);
            assertThat(nextValue("magnet_sensor_clock_unstable")).isEqualTo(1);
            kernel.doubts = PointControl.Doubts.NONE;
            await().until(() -> nextValue("magnet_sensor_points_blind") == 0);
            service.stop();
            run.get();
            assertThat(lines.lines())
                    .as("each said once")
                    .hasSize(3)
                    .anyMatch(line -> line.startsWith(
                            "WARN kernel.ftrace_enabled or kprobes/enabled in debugfs is 0: 17 points see"))
                    .anyMatch(line -> line.startsWith("WARN the kernel called the TSC unstable"))
                    .contains("INFO all points see again");
        }
    }

    @Test
    void shouldLeaveOutWhatNeedsThreadsWhenTheLayoutIsClassic() throws Exception {
        kernel.layout = RecordLayout.CLASSIC;
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        int needThreads =
                (int) Metrics.DEFAULT.stream().filter(Metric::byThread).count();
        firstSnapshot(Metrics.DEFAULT.size() - needThreads);
        assertThat(kernel.subscriptions.values())
                .contains(EventType.UDP_SENDMSG.label())
                .doesNotContain(EventType.SCHED_SWITCH.label());
        service.stop();
        run.get();
        assertPublished(Metrics.DEFAULT.size() - needThreads);
    }

    @Test
    void shouldPublishDropsByReasonOnlyWhenReasonsHaveNames() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[metrics]\nlevel = full\n");
        List<String> byReason = new ArrayList<>();
        for (DropReason reason : DropReason.values()) {
            byReason.add(reason.metric().name());
        }
        MagnetService named = service();
        CompletableFuture<Void> run = start(named);
        int all = Metrics.of(Level.FULL).size();
        assertThat(firstSnapshot(all)).containsKeys(byReason.toArray(new String[0]));
        named.stop();
        run.get();
        kernel.dropReasons = Map.of();
        gmond.close();
        gmond = new FakeGmond();
        try (LogLines log = new LogLines(MagnetService.class)) {
            MagnetService nameless = service();
            run = start(nameless);
            assertThat(firstSnapshot(all - byReason.size()))
                    .containsKey("magnet_net_drops_rate")
                    .doesNotContainKeys(byReason.toArray(new String[0]));
            nameless.stop();
            run.get();
            assertPublished(all - byReason.size());
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("WARN the module does not name the kernel's reasons"));
        }
    }

    @Test
    void shouldWarnOfJobsThatTheModuleDoesNotKnow() throws Exception {
        kernel.unwatchedJobs = Optional.of(new UnwatchedJobs(
                CgroupHierarchy.UNIFIED, new CgroupHierarchy("freezer"), new TreeSet<>(Set.of("slurm:42"))));
        assertThat(warningsOfJobs()).isEmpty();
        Files.writeString(folder.resolve("magnet.conf"), "[metrics]\njobs = on\n");

        assertThat(warningsOfJobs())
                .containsExactly("WARN jobs have no figures: slurm:42 is in the version 1 hierarchy of freezer, and the"
                        + " module watches the unified hierarchy; load it with job_hierarchy=freezer");
    }

    private List<String> warningsOfJobs() throws Exception {
        try (LogLines log = new LogLines(MagnetService.class)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            await().until(() -> !kernel.subscriptions.isEmpty());
            service.stop();
            run.get();
            return log.lines().stream()
                    .filter(line -> line.startsWith("WARN jobs"))
                    .toList();
        }
    }

    @Test
    void shouldLeaveNothingBehindAndReportWhenStopped() throws Exception {
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        firstSnapshot();
        kernel.longestAway.set(1_234_567);
        kernel.exec(10_007);
        service.stop();
        run.get();
        assertThat(kernel.subscriptions).isEmpty();
        assertThat(kernel.closed).isTrue();
        assertThat(Files.readString(report))
                .startsWith("{\"end\": \"stopped\", \"started\": \"1970-01-01T00:00:00Z\", \"seconds\": ")
                .endsWith("}\n")
                .contains("\"late\": 0, \"corrupt_bytes\": 0, \"events_by_cpu\": {\"0\": 10007}")
                .contains("\"events\": 10007, \"lost\": 0, \"lost_by_cpu\": {}, ")
                .contains("\"away_micros_max\": 1234,")
                .contains("\"events_by_id\": {\"sched_process_exec\": 10007}")
                .contains("\"point\": \"sched_process_exec\", \"event\": 289, \"cpus\": [{\"cpu\": 0, \"hits\": 10007, "
                        + "\"committed\": 10007, \"delivered\": 10007, \"filtered\": 0, ")
                .containsPattern("\"snapshots_published\": [1-9]")
                .contains("\"seconds_to_first_publish\": ");
        assertPublished(Metrics.DEFAULT.size());
    }

    /** Somebody sets the clock while it runs: it shows in no value, and nothing waits for that hour to come again. */
    @Test
    void shouldGoOnWhenTheClockIsSetBackAnHour() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[publish]\ninterval = 1s\n");
        AtomicLong step = new AtomicLong();
        InstantSource wall = () -> Instant.ofEpochSecond(1_790_000_000)
                .plusNanos(System.nanoTime())
                .plusSeconds(step.get());
        clocks = new MagnetService.Clocks(MonotonicClock.SYSTEM, wall, wall.instant());
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        kernel.exec(10_007);
        nextWindow();
        step.set(-3_600);
        for (int i = 0; i < 3; i++) {
            assertThat(nextWindow()).isBetween(0.5, 60.0);
        }
        step.set(3_600);
        assertThat(nextWindow()).isBetween(0.5, 60.0);
        service.stop();
        run.get();
        String written = Files.readString(report);
        assertThat(written).contains("\"events\": 10007,").contains("\"send_errors\": 0");
        assertThat(number(written, "seconds")).isBetween(3.0, 60.0);
        assertThat(number(written, "seconds_to_first_publish")).isBetween(0.0, 60.0);
    }

    /** The length of the next window that comes. */
    private double nextWindow() throws IOException {
        while (true) {
            FakeGmond.Packet packet = next();
            if (!packet.isMetadata() && packet.name().equals("magnet_sensor_window_length")) {
                return Double.parseDouble(packet.value());
            }
        }
    }

    private static double number(String json, String key) {
        Matcher found = Pattern.compile("\"" + key + "\": (-?[0-9.E]+)").matcher(json);
        assertThat(found.find()).as(key).isTrue();
        return Double.parseDouble(found.group(1));
    }

    @Test
    void shouldCountMalformedRecordsAndSayOnceThatThereAreSome() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), "[publish]\ninterval = 1s\n");
        kernel.counts.put(CollectorCounter.MALFORMED, 3L);
        MagnetService service = service();
        try (LogLines lines = new LogLines(ReadingTotals.class)) {
            CompletableFuture<Void> run = start(service);
            nextWindow();
            kernel.counts.put(CollectorCounter.MALFORMED, 5L);
            nextWindow();
            nextWindow();
            service.stop();
            run.get();
            assertThat(lines.lines()).singleElement().asString().contains("malformed records");
        }
        assertThat(Files.readString(report)).contains("\"malformed\": 5");
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
    void shouldPublishWindowsThatEndedBeforeTheModuleWasUnloaded() throws Exception {
        Files.writeString(
                folder.resolve("magnet.conf"),
                "[publish]\ninterval = 1s\n[service]\ntee-directory = " + folder + "/tee\n");
        CompletableFuture<Void> run = start(service());
        firstSnapshot();
        kernel.doubtsToTell.drainPermits();
        int before = kernel.reads.get();
        await().until(() -> kernel.reads.get() >= before + 2);
        kernel.unload();
        await().until(() -> Arrays.stream(kernel.reader.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("rest")));
        kernel.doubtsToTell.release(1_000);
        assertThat(failure(run).exitCode()).isEqualTo(ExitCode.MODULE_GONE);
        assertThat(Files.readAllLines(folder.resolve("tee/windows.jsonl")))
                .as("one for each window that ended")
                .hasSize(kernel.reads.get());
    }

    @Test
    void shouldEndWithItsCodeWhenAnotherOneRuns() throws Exception {
        kernel.taken = true;
        Path file = Files.writeString(folder.resolve("pid"), "1\n");
        pidFile = new PidFile(Optional.of(file));
        assertThat(failure(start(service())).exitCode()).isEqualTo(ExitCode.ALREADY_RUNNING);
        pidFile.remove();
        assertThat(file).as("the other's").hasContent("1");
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
        assertThat(Files.readAllLines(folder.resolve("tee/windows.jsonl"))).isNotEmpty();
    }

    @Test
    void shouldEndAsOfABadConfigurationWhenTheTeeCannotBeMade() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        Files.writeString(folder.resolve("magnet.conf"), "[service]\ntee-directory = " + file + "/tee\n");
        ServiceException error = failure(start(service()));
        assertThat(error.exitCode()).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(error).hasMessageStartingWith("tee-directory " + file + "/tee: cannot be written: ");
    }

    /** Has the service told to feed a watchdog of 0.2 s, and gives the socket where. */
    private String watchedAt() {
        String where = folder.resolve("notify").toString();
        manager =
                ServiceManager.of(Map.of("NOTIFY_SOCKET", where, "WATCHDOG_USEC", "200000"), 1, MonotonicClock.SYSTEM);
        return where;
    }

    @Test
    void shouldTellTheServiceManagerThatItIsReadyAndAliveAndHowItIs() throws Exception {
        String where = watchedAt();
        try (NotifyListener listener = new NotifyListener(where)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            String status = "STATUS=level summary: 61 metrics made of 26 points";
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

    @Test
    void shouldTellThatItIsAliveWhileTheKernelTakesLongToSubscribeTheFirstPoint() throws Exception {
        String where = watchedAt();
        kernel.answers.drainPermits();
        try (NotifyListener listener = new NotifyListener(where)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            for (int beat = 0; beat < 3; beat++) {
                listener.await("WATCHDOG=1");
            }
            assertThat(kernel.subscriptions).isEmpty();
            kernel.answers.release(MANY);
            listener.await("READY=1");
            service.stop();
            run.get();
        }
    }

    /** The conductor goes on then, and it is the collector that nobody may take for alive. */
    @Test
    void shouldNotTellThatItIsAliveWhenTheCollectorHangsDuringAChange() throws Exception {
        raiseWhenProgramsAreExecuted();
        String where = watchedAt();
        try (NotifyListener listener = new NotifyListener(where)) {
            MagnetService service = service();
            CompletableFuture<Void> run = start(service);
            listener.await("READY=1");
            kernel.answers.drainPermits();
            kernel.exec(7);
            await().until(kernel.answers::hasQueuedThreads);
            kernel.stall();
            assertThat(silence(listener)).isTrue();
            int before = kernel.subscriptions.size();
            kernel.answers.release(2);
            await().until(() -> kernel.subscriptions.size() == before + 2 && kernel.answers.hasQueuedThreads());
            for (Optional<String> told = listener.receive(1); told.isPresent(); told = listener.receive(1)) {
                assertThat(told.get()).doesNotContain("WATCHDOG");
            }
            kernel.goOn();
            kernel.answers.release(MANY);
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

    @Test
    void shouldPublishOwnHandlersBesideTheBuiltInOnes() throws Exception {
        Files.writeString(
                folder.resolve("magnet.conf"), "[handler sends]\nkind = count\npoint = udp_sendmsg\nmetric = all\n");
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        assertThat(values(Metrics.DEFAULT.size() + HandlerMetrics.all().size() + 1))
                .containsEntry("magnet_sends_all_count", "0")
                .containsEntry("magnet_handlers_off_count", "0");
        service.stop();
        run.get();
        assertThat(kernel.handlers.subscriptions).isEmpty();
        assertThat(kernel.handlers.closed).isTrue();
        assertThat(Files.readString(report)).contains("\"handlers\": [{\"name\": \"sends\"");
    }

    @Test
    void shouldRaiseTheLevelByAnOwnHandlersMetric() throws Exception {
        Files.writeString(folder.resolve("magnet.conf"), """
                [publish]
                interval = 1s
                [metrics]
                raise-when = magnet_sends_all_count < 1
                [handler sends]
                kind = count
                point = udp_sendmsg
                metric = all
                """);
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        awaitLevel(Level.FULL);
        service.stop();
        run.get();
    }

    @Test
    void shouldNotConnectForOwnHandlersWhenThereAreNone() throws Exception {
        MagnetService service = service();
        CompletableFuture<Void> run = start(service);
        firstSnapshot();
        service.stop();
        run.get();
        assertThat(kernel.handlers.connections).hasValue(0);
        assertThat(Files.readString(report)).doesNotContain("\"handlers\"");
    }

    private MagnetService service() throws Exception {
        Path conf = folder.resolve("magnet.conf");
        if (!Files.exists(conf)) {
            Files.writeString(conf, "");
        }
        return new MagnetService(
                ConfigReader.read(conf, List.of(), SetupFiles.EXTENSIONS),
                kernel,
                ganglia(),
                clocks,
                manager,
                pidFile,
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
        return firstSnapshot(Metrics.DEFAULT.size());
    }

    /** The first publication, which is to have so many metrics: what comes first is each one's metadata, then its value. */
    private Map<String, String> firstSnapshot(int metrics) throws IOException {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < metrics; i++) {
            FakeGmond.Packet metadata = next();
            assertThat(metadata.isMetadata()).as("%s", metadata).isTrue();
            FakeGmond.Packet value = next();
            assertThat(value.isMetadata()).as("%s", value).isFalse();
            assertThat(value.name()).isEqualTo(metadata.name());
            values.put(value.name(), value.value());
        }
        assertThat(values).as("each once").hasSize(metrics);
        return values;
    }

    /** The last publication had so many metrics. */
    private void assertPublished(int metrics) throws IOException {
        assertThat(number(Files.readString(report), "metrics_published")).isEqualTo(metrics);
    }

    /** The first values of so many metrics, in as many publications as it takes. */
    private Map<String, String> values(int metrics) throws IOException {
        Map<String, String> values = new HashMap<>();
        while (values.size() < metrics) {
            FakeGmond.Packet packet = next();
            if (!packet.isMetadata()) {
                values.putIfAbsent(packet.name(), packet.value());
            }
        }
        return values;
    }

    private FakeGmond.Packet next() throws IOException {
        return gmond.next(PATIENCE_MILLIS).orElseThrow();
    }
}
