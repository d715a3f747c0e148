// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceOwners;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose the events of saved traces are, in all commands that read them. */
final class SavedOwnersTest extends WorldFixture {
    private static final long MICROSECOND = 2_500;
    private static final long TIMER = 5_000_000;
    private static final int MOVE = 3;
    private static final String JOB_1 = "/system.slice/slurmstepd.scope/job_1";
    private static final String JOB_2 = "/system.slice/slurmstepd.scope/job_2";
    private static final Set<String> ALL = Set.of("task_attach", "cgroup_mkdir", "cgroup_rmdir");

    private final RecordWriter records = new RecordWriter();
    private Path trace;

    @BeforeEach
    void prepare() {
        world.control = FakeModule::openWithout;
        trace = folder.resolve("trace");
    }

    private static long at(long micros) {
        return TIMER + micros * MICROSECOND;
    }

    private void cgroup(long cgroup, String path) {
        records.record(EventType.CGROUP_MKDIR, 0, 10, 10, cgroup, at(1), 1, 3, path.length())
                .text(EventType.CGROUP_MKDIR, "path", path);
    }

    private void attach(int process, long cgroup, int how, long micros) {
        records.record(EventType.TASK_ATTACH, 0, 10, 10, process, at(micros), cgroup, how);
    }

    private void send(int process, long micros) {
        records.record(EventType.UDP_SENDMSG, 0, process, process, 5, at(micros), 100, 2, 17);
    }

    /** Process 80 is moved from job 1 to job 2 while it runs; 90 is in job 2; nobody knows 70. */
    private void save(TraceOwners owners) throws IOException {
        send(80, 150);
        attach(80, 501, MOVE, 400);
        send(80, 450);
        records.record(EventType.SCHED_SWITCH, 0, 80, 80, 0, at(1_100), 1, 0);
        send(90, 1_200);
        send(70, 1_300);
        write(owners);
    }

    private void write(TraceOwners owners) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, records);
            if (owners != null) {
                writer.own(owners);
            }
        }
    }

    private void beginByRecords() {
        cgroup(500, JOB_1);
        cgroup(501, JOB_2);
        attach(80, 500, 0, 10);
        attach(90, 501, 0, 10);
        records.record(EventType.SCHED_SWITCH, 0, 0, 0, 80, at(100), 0, 80);
    }

    @Test
    void shouldReportByJobAndSplitAProcessThatIsMovedWhileItRuns() throws IOException {
        beginByRecords();
        save(new TraceOwners(ALL));
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.errLines()).isEmpty();
        assertThat(world.outLines())
                .contains("events     6, lost 0")
                .containsSubsequence(
                        "JOB      EVENTS  SHARE  CPU TIME ms  SLICES",
                        "slurm:2       3  50.0%        0.700       1",
                        "none          1  16.7%        0.000       0",
                        "slurm:1       1  16.7%        0.300       0",
                        "unknown       1  16.7%        0.000       0")
                .noneMatch(line -> line.startsWith("PROCESS") || line.startsWith("task_attach"));
    }

    /** Process 80 of job 1 waits 200 of 1000 microseconds while 90 of job 2 runs. */
    @Test
    void shouldSayHowLongJobsWaitedForACpuAndForWhom() throws IOException {
        cgroup(500, JOB_1);
        cgroup(501, JOB_2);
        attach(80, 500, 0, 10);
        attach(90, 501, 0, 10);
        records.record(EventType.SCHED_SWITCH, 0, 0, 0, 90, at(100), 0, 90);
        records.record(EventType.SCHED_WAKEUP, 0, 10, 10, 80, at(200), 0, 80);
        records.record(EventType.SCHED_SWITCH, 0, 90, 90, 80, at(400), 1, 80);
        send(80, 1_100);
        write(new TraceOwners(ALL));
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.outLines())
                .containsSubsequence(
                        "JOB      EVENTS  SHARE  CPU TIME ms  SLICES  WAIT %  P50 us  P99 us  MAX us  WAITED FOR (%)",
                        "none          1  25.0%        0.000       0     0.0       -       -       -  -",
                        "slurm:1       1  25.0%        0.000       0    20.0   200.0   200.0   200.0  slurm:2 20.0",
                        "slurm:2       1  25.0%        0.300       1     0.0       -       -       -  -",
                        "unknown       1  25.0%        0.000       0     0.0       -       -       -  -");
        world.out.reset();
        assertThat(world.run("report", "--json", "--by", "job", trace.toString()))
                .isZero();
        assertThat(world.outLines().get(0))
                .contains(
                        "{\"job\": \"slurm:1\", \"events\": 1, \"cpu_ms\": 0.0, \"slices\": 0, \"wait_percent\": 20.0,"
                                + " \"wait_p50_us\": 200.0, \"wait_p99_us\": 200.0, \"wait_max_us\": 200.0, \"waited_for\":"
                                + " [{\"name\": \"slurm:2\", \"percent\": 20.0}]}");
        world.out.reset();
        assertThat(world.run("report", "--by", "job", "--filter", "drop if tid == 90", trace.toString()))
                .isZero();
        assertThat(world.outLines()).anyMatch(line -> line.startsWith("slurm:1") && line.endsWith("slurm:2 90.0"));
    }

    @Test
    void shouldShowTheLastOwnerOfEachProcess() throws IOException {
        beginByRecords();
        save(new TraceOwners(ALL));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .containsSubsequence(
                        "PROCESS   EVENTS  SHARE  CPU TIME ms  SLICES  OWNER",
                        "80             3  50.0%        1.000       1  slurm:2",
                        "0 (idle)       1  16.7%        0.000       0  -",
                        "70             1  16.7%        0.000       0  -",
                        "90             1  16.7%        0.000       0  slurm:2");
        world.out.reset();
        assertThat(world.run("report", "--json", "--by", "job", "--top", "1", trace.toString()))
                .isZero();
        assertThat(world.outLines().get(0))
                .contains(
                        "{\"tgid\": 80, \"name\": \"\", \"events\": 3, \"cpu_ms\": 1.0, \"slices\": 1, \"owner\": \"slurm:2\"}")
                .contains("\"by_job\": [{\"job\": \"slurm:2\", \"events\": 3, \"cpu_ms\": 0.7, \"slices\": 1}]")
                .contains("\"events\": 6, \"lost\": 0");
    }

    @Test
    void shouldBeginWithWhatTheTraceSaysBesideItsRecords() throws IOException {
        records.record(EventType.SCHED_SWITCH, 0, 0, 0, 80, at(100), 0, 80);
        save(new TraceOwners(ALL, Map.of(80, 500L, 90, 501L), Map.of(500L, JOB_1, 501L, JOB_2)));
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.outLines())
                .containsSubsequence(
                        "slurm:2       3  50.0%        0.700       1", "slurm:1       1  16.7%        0.300       0");
    }

    @Test
    void shouldCountByJobOnlyWhatWasAskedForWhenTheTraceWasSaved() throws IOException {
        beginByRecords();
        save(new TraceOwners(ALL));
        assertThat(world.run("count", "--json", "--trace", trace.toString(), "-p", "udp_sendmsg", "by", "job"))
                .isZero();
        assertThat(world.outLines().get(0))
                .contains("{\"by\": {\"job\": \"slurm:2\"}, \"count\": 2}")
                .contains("{\"by\": {\"job\": \"slurm:1\"}, \"count\": 1}")
                .contains("{\"by\": {\"job\": \"unknown\"}, \"count\": 1}");
        world.out.reset();
        assertThat(world.run("count", "--trace", trace.toString())).isZero();
        assertThat(world.errLines()).last().asString().startsWith("magnet: 6 events counted");
        assertThat(world.outLines()).noneMatch(line -> line.contains("task_attach") || line.contains("cgroup_mkdir"));
        world.out.reset();
        assertThat(world.run("count", "--trace", trace.toString(), "-p", "task_attach", "by", "how"))
                .isZero();
        assertThat(world.errLines()).last().asString().startsWith("magnet: 3 events counted");
    }

    @Test
    void shouldLeaveOutOwnersThatALossMayHaveChanged() throws IOException {
        beginByRecords();
        records.record(EventType.LOST, 0, 0, 0, 0, at(120), 1, at(110), at(115));
        save(new TraceOwners(ALL));
        assertThat(world.run("count", "--json", "--trace", trace.toString(), "-p", "udp_sendmsg", "by", "job"))
                .isZero();
        assertThat(world.outLines().get(0))
                .contains("{\"by\": {\"job\": \"unknown\"}, \"count\": 3}")
                .contains("{\"by\": {\"job\": \"slurm:2\"}, \"count\": 1}");
    }

    @Test
    void shouldSayInALineThatAnOlderTraceDoesNotTellOwners() throws IOException {
        beginByRecords();
        save(null);
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: the trace does not say whose its events are: it was saved by an older version,"
                                + " or with rules or --sample on task_attach, cgroup_mkdir or cgroup_rmdir");
        assertThat(world.outLines())
                .contains("PROCESS   EVENTS  SHARE  CPU TIME ms  SLICES")
                .noneMatch(line -> line.startsWith("JOB"));
        world.err.reset();
        assertThat(world.run("count", "--trace", trace.toString(), "by", "job")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith("magnet: the trace does not say whose its events are");
        world.err.reset();
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldExportOwnersAndNotWhatTellsThem() throws IOException {
        beginByRecords();
        save(new TraceOwners(ALL));
        Path file = folder.resolve("node.perfetto-trace");
        assertThat(world.run("export", trace.toString(), "-o", file.toString())).isZero();
        assertThat(world.errLines()).singleElement().asString().startsWith("magnet: 6 events exported");
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                .contains("slurm:1", "slurm:2", "moved");
    }

    @Test
    void shouldReportWhatSomebodyAskedFor() throws IOException {
        beginByRecords();
        save(new TraceOwners(Set.of("cgroup_mkdir", "cgroup_rmdir")));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("task_attach "))
                .noneMatch(line -> line.startsWith("cgroup_mkdir "));
    }

    @Test
    void shouldUseTheListOfTheMachineThatReads() throws IOException {
        Files.createDirectories(world.root.resolve("etc/magnet"));
        Files.writeString(world.root.resolve("etc/magnet/magnet.conf"), "[jobs]\nmine = **/job_{*}/**\n");
        beginByRecords();
        save(new TraceOwners(ALL));
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.startsWith("mine:2 "));
        assertThat(List.of("process", "job", "cgroup").stream()
                        .map(key -> world.run("report", "--by", key, trace.toString())))
                .containsExactly(0, 0, 2);
    }
}
