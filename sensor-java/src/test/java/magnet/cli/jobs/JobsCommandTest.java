// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import magnet.agent.AgentHealth;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.json.Json;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;
import magnet.os.TerminalSize;
import magnet.publish.jobs.JobsSink;
import magnet.testing.CgroupFolders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class JobsCommandTest {
    private static final String JOB = "/system.slice/slurmstepd.scope/job_4711";
    /** Of nobody. */
    private static final int USER = 987_654;

    private static final Map<String, String> DONE = Map.of("stop", "stopped", "cont", "continued", "kill", "killed");
    private static final int SELF = (int) ProcessHandle.current().pid();

    @TempDir
    private Path root;

    private TestWorld world;
    private CgroupFolders folders;
    private Path job = Path.of("");

    @BeforeEach
    void make() throws IOException {
        world = new TestWorld(root, new FakeModule());
        folders = CgroupFolders.unified(root);
        job = folders.group(JOB);
        folders.withFreezer(job, 12_340_000, 5 << 20);
        folders.group(JOB + "/step_0", 812, 815, 816);
        folders.process(812, 1, "bash", 'S', USER);
        folders.process(815, 812, "a b\033", 'S', USER);
        folders.process(816, 815, "tee", 'R', USER);
    }

    @Test
    void shouldListJobsWithoutMagnetd() {
        assertThat(world.run("jobs")).isZero();

        assertThat(world.outLines())
                .containsExactly(
                        "JOB               USER    PROCS  STATE    CPU-SECONDS  MEMORY  CPU %  WAIT %  WAITED FOR (%)",
                        "slurm:4711        987654      3  running         12.3    5.0M      -       -  -",
                        "slurmstepd.scope  987654      3  running            -       -      -       -  -");
        assertThat(world.errLines()).containsExactly("magnet: no figures from magnetd: it does not run");
    }

    @Test
    void shouldSayHowMagnetdIsMadeToTellFigures() throws IOException {
        world.addProcess(44, "java", "java magnet.service.Magnetd");

        world.run("jobs");

        assertThat(world.errLines())
                .containsExactly("magnet: no figures from magnetd: it tells none; set jobs = on in [metrics] of"
                        + " /etc/magnet/magnet.conf");
    }

    @Test
    void shouldListTheFiguresOfMagnetd() throws IOException {
        try (JobsSink sink = sink(Set.of())) {
            assertThat(sink.errors()).isZero();
            world.run("jobs");
            assertThat(world.outLines().get(1))
                    .isEqualTo(
                            "slurm:4711        987654      3  running         12.3    5.0M   43.5    58.9  cron.service"
                                    + " 38.0");
            assertThat(world.errLines()).isEmpty();

            world.out.reset();
            assertThat(world.run("jobs", "--json")).isZero();
            assertThat(Json.object(world.outLines().get(0)).get("jobs").toString())
                    .startsWith("[{job=slurm:4711, users=[987654], processes=3.0, state=running, cpu_seconds=12.34,"
                            + " memory_bytes=5242880.0, cpu_percent=43.5, wait_percent=58.9,"
                            + " waited_for=[{name=cron.service, percent=38.0}");
        }
    }

    /** Whoever may not connect to the one for all. */
    @Test
    void shouldAskForItsOwnJobsWhereItMayNotSeeAll() throws IOException {
        try (JobsSink sink = sink(Set.of("slurm:4711"))) {
            assertThat(sink.errors()).isZero();
            Files.delete(root.resolve("run/magnet/jobs-all"));
            world.run("jobs");
            assertThat(world.outLines().get(1)).endsWith("43.5    58.9  others 38.0");
        }
    }

    private JobsSink sink(Set<String> own) throws IOException {
        Files.createDirectories(root.resolve("run"));
        JobsSink sink = new JobsSink(root.resolve("run/magnet/jobs"), user -> own, 5, AgentHealth.unheard());
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.CPU.index()] = 43.5;
        values[JobColumn.WAIT.index()] = 58.9;
        JobMetrics.Slot slot = JobMetrics.allSlots().get(0);
        sink.publish(MetricSnapshot.of(Instant.EPOCH, 25, List.of(slot.of(JobColumn.CPU), slot.of(JobColumn.WAIT)))
                .putJobs(new JobTable(List.of(
                        new JobTable.Row("slurm:4711", values, List.of(new JobTable.Cause("cron.service", 38))))))
                .build());
        return sink;
    }

    @Test
    void shouldSayWhenThereAreNoJobs(@TempDir Path empty) throws IOException {
        TestWorld nothing = new TestWorld(empty, new FakeModule());

        assertThat(nothing.run("jobs")).isZero();
        assertThat(nothing.run("jobs", "tree")).isZero();
        assertThat(nothing.outLines()).containsExactly("no jobs", "no jobs");
    }

    @Test
    void shouldSayWhetherAJobStandsStill() throws IOException {
        Files.writeString(job.resolve("cgroup.events"), "populated 1\nfrozen 1\n");
        world.run("jobs");
        assertThat(world.outLines().get(1)).contains(" frozen ");

        Files.writeString(job.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
        folders.process(812, 1, "bash", 'T', USER);
        folders.process(815, 812, "sed", 't', USER);
        folders.process(816, 815, "tee", 'T', USER);
        world.out.reset();
        world.run("jobs");
        assertThat(world.outLines().get(1)).contains(" stopped ");
    }

    @Test
    void shouldShowCgroupsAndProcessesBelowTheirParents() throws IOException {
        folders.group(JOB + "/step_1", 901);
        folders.process(901, 812, "late", 'S', USER);

        assertThat(world.run("jobs", "tree", "slurm:4711")).isZero();

        assertThat(world.outLines())
                .containsExactly(
                        "slurm:4711: 4 processes, running",
                        "  " + JOB,
                        "    step_0",
                        "      812 bash",
                        "        815 a b\\x1b",
                        "          816 tee",
                        "    step_1",
                        "      901 late");
        world.out.reset();
        world.run("jobs", "tree", "--json", "slurm:4711");
        assertThat(world.outLines().get(0))
                .contains("\"path\": \"" + JOB + "/step_1\", \"processes\": [{\"pid\": 901, \"parent\": 812, \"name\":"
                        + " \"late\", \"state\": \"S\"}]");
    }

    /** On a small stack, as the command has. */
    @Test
    void shouldShowCgroupsThatAUserHasNestedDeep() throws Exception {
        int depth = 1_000;
        folders.group(JOB + "/x".repeat(depth), 901);
        folders.process(901, 1, "deep", 'S', USER);
        FutureTask<Integer> command = new FutureTask<>(() -> world.run("jobs", "tree", "slurm:4711"));
        new Thread(null, command, "small stack", 128 * 1024).start();

        assertThat(command.get(10, TimeUnit.MINUTES)).isZero();
        assertThat(world.outLines())
                .hasSize(1 + 1 + depth + 1 + 3 + 1)
                .contains(" ".repeat(4 + 2 * depth) + "901 deep");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        4711 | no job here is called '4711'; did you mean slurm:4711?
        slurm:1 | no job here is called 'slurm:1'; there are: slurm:4711, slurmstepd.scope
        """)
    void shouldSayWhichJobsThereAreForANameThatIsNone(String name, String why) {
        for (String command : List.of("tree", "stop", "cont", "kill")) {
            world.err.reset();
            assertThat(world.run("jobs", command, name)).isEqualTo(1);
            assertThat(world.errLines()).containsExactly("magnet: " + why);
        }
        assertThat(world.outLines()).isEmpty();
    }

    /** None of several is touched if one may not be. */
    @ParameterizedTest
    @ValueSource(strings = {"stop", "cont", "kill"})
    void shouldTouchNeitherItselfNorInitNorMagnetd(String order) throws IOException {
        world.addProcess(44, "java", "java magnet.service.Magnetd");
        folders.group("/system.slice/self.service", SELF);
        folders.group("/init.scope", 1);
        folders.group("/system.slice/magnetd.service", 44);

        refuse(order, "self.service", "this command itself is in it; run it from another session");
        refuse(order, "init.scope", "process 1 is in it");
        refuse(order, "magnetd.service", "magnetd is in it; stop it by \"systemctl stop magnetd\"");
        assertThat(job.resolve("cgroup.freeze")).hasContent("0");
        assertThat(job.resolve("cgroup.kill")).hasContent("");
    }

    @Test
    void shouldNotTouchAWholeSlice() throws IOException {
        Path conf = Files.createDirectories(root.resolve("etc/magnet")).resolve("magnet.conf");
        Files.writeString(conf, "[jobs]\nall = /{*.slice}/**\nslurm = **/job_{*}/**\n");
        folders.group("/system.slice/a.service", 812);

        assertThat(world.run("jobs", "kill", "all:system.slice")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: all:system.slice is not killed: /system.slice is no single job; name a"
                        + " job in it");
    }

    /** A command line that names them all means them all. */
    @Test
    void shouldNotTouchAJobWithOthersInItThatNobodyNames() throws IOException {
        folders.withFreezer(folders.group("/system.slice/slurmstepd.scope"), 1, 1);

        assertThat(world.run("jobs", "kill", "slurmstepd.scope")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: slurmstepd.scope is not killed: other jobs lie within it; name them, too, if you"
                                + " mean them: slurm:4711");
        assertThat(root.resolve("sys/fs/cgroup/system.slice/slurmstepd.scope/cgroup.kill"))
                .hasContent("");
        assertThat(world.run("jobs", "cont", "slurmstepd.scope", "slurm:4711")).isZero();
        assertThat(world.outLines())
                .containsExactly("continued 3 processes of slurmstepd.scope", "continued 3 processes of slurm:4711");
    }

    /** In the unified hierarchy, Slurm's cgroup/v1 leaves the processes of jobs where slurmd is. */
    @Test
    void shouldNotTouchSlurmdWithTheJobsOfVersionOne(@TempDir Path other) throws IOException {
        TestWorld hybrid = new TestWorld(other, new FakeModule());
        Path mount = other.resolve("sys/fs/cgroup");
        CgroupFolders freezer = CgroupFolders.versionOne(other, "freezer");
        Path old = freezer.group("/slurm/uid_1/job_42", 812);
        freezer.process(812, 1, "bash", 'D', USER);
        Path unified = Files.createDirectories(mount.resolve("unified/system.slice/slurmd.service"));
        Files.writeString(mount.resolve("unified/cgroup.controllers"), "");
        Files.writeString(mount.resolve("unified/cgroup.procs"), "");
        Files.writeString(unified.resolve("cgroup.procs"), "44\n812\n");
        Files.writeString(unified.resolve("cgroup.freeze"), "0\n");

        assertThat(hybrid.run("jobs", "stop", "slurmd.service")).isEqualTo(1);
        assertThat(hybrid.errLines())
                .containsExactly(
                        "magnet: slurmd.service is not stopped: other jobs lie within it; name them, too, if you"
                                + " mean them: slurm:42");
        assertThat(unified.resolve("cgroup.freeze")).hasContent("0");

        Files.writeString(old.resolve("freezer.state"), "FROZEN\n");
        hybrid.err.reset();
        hybrid.run("jobs");
        assertThat(hybrid.outLines()).anyMatch(line -> line.startsWith("slurm:42 ") && line.contains(" frozen "));
        hybrid.err.reset();
        assertThat(hybrid.run("jobs", "cont", "slurm:42")).isZero();
        assertThat(hybrid.errLines())
                .containsExactly("magnet: the freezer still holds processes of slurm:42; write THAWED to "
                        + old.resolve("freezer.state"));
    }

    private void refuse(String order, String name, String why) {
        world.err.reset();
        assertThat(world.run("jobs", order, "slurm:4711", name)).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + name + " is not " + DONE.get(order) + ": " + why);
        assertThat(world.outLines()).isEmpty();
    }

    @Test
    void shouldSayWhatIsLeftAndGoOnWithTheOthers() throws IOException {
        Path other = folders.group("/system.slice/slurmstepd.scope/job_1");
        folders.withFreezer(other, 1, 1);

        assertThat(world.run("jobs", "kill", "-t", "0.1s", "slurm:4711", "slurm:1"))
                .isEqualTo(1);

        assertThat(world.errLines())
                .containsExactly("magnet: after 100ms slurm:4711 still has 3 processes of 3: 812, 815, 816");
        assertThat(world.outLines()).containsExactly("killed 0 processes of slurm:1");
        assertThat(job.resolve("cgroup.kill")).hasContent("1");
    }

    @Test
    void shouldSayThatAJobIsNotFrozenInTime() throws IOException {
        assertThat(world.run("jobs", "stop", "-t", "0.1s", "--json", "slurm:4711"))
                .isEqualTo(1);

        assertThat(world.errLines())
                .containsExactly("magnet: after 100ms slurm:4711 is not frozen yet; try again, or undo it by \"magnet"
                        + " jobs cont slurm:4711\"");
        assertThat(world.outLines().get(0))
                .startsWith(
                        "{\"jobs\": [{\"job\": \"slurm:4711\", \"order\": \"stop\", \"by\": \"cgroup\", \"error\":");
        assertThat(job.resolve("cgroup.freeze")).hasContent("1");
    }

    @Test
    void shouldSayWhoIsStillStoppedByASignal() throws IOException {
        folders.process(816, 815, "tee", 'T', USER);

        assertThat(world.run("jobs", "cont", "slurm:4711")).isZero();

        assertThat(world.outLines()).containsExactly("continued 3 processes of slurm:4711");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: a signal or a debugger still stops 1 process of slurm:4711; \"magnet jobs cont"
                                + " --signals slurm:4711\" sends SIGCONT");
    }

    /** SIGCONT does not thaw. */
    @Test
    void shouldSayWhoIsStillFrozenAfterSignals() throws IOException {
        folders.group(JOB + "/step_0");
        Files.writeString(job.resolve("cgroup.events"), "populated 1\nfrozen 1\n");

        assertThat(world.run("jobs", "cont", "--signals", "slurm:4711")).isZero();

        assertThat(world.errLines())
                .containsExactly("magnet: the freezer still holds processes of slurm:4711; \"magnet jobs cont"
                        + " slurm:4711\" lets them go on");
    }

    @Test
    void shouldWatchInBlocksAndLinesOfJson() {
        assertThat(world.run("jobs", "watch", "-n", "2", "-i", "0.1s")).isZero();
        assertThat(world.outLines()).hasSize(7).element(3).isEqualTo("");
        assertThat(world.errLines()).hasSize(1);

        world.out.reset();
        assertThat(world.run("jobs", "watch", "-n", "2", "-i", "0.1s", "--json"))
                .isZero();
        assertThat(world.outLines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("\"without_figures\": \"it does not run\""));
    }

    @Test
    void shouldDrawOnATerminalAndLeaveItAsItWas() {
        world.screen = Optional.of(new TerminalSize(80, 6));

        assertThat(world.run("jobs", "watch", "-n", "1")).isZero();

        assertThat(world.out.toString(StandardCharsets.UTF_8))
                .startsWith("\033[?1049h\033[?25l\033[Hmagnet jobs  14:13:20  no figures from magnetd: it does not"
                        + " run\033[K")
                .contains("q quit")
                .endsWith("\033[?25h\033[?1049l");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        kill | Missing
        kill -t 10ms x | --timeout TIME must be from 0.1s to 1h
        watch -i 10ms | --interval TIME must be from 0.1s to 1h
        watch -n 0 | --count COUNT must be at least 1
        """)
    void shouldRefuseImpossibleValues(String arguments, String why) {
        assertThat(world.run(("jobs " + arguments).split(" "))).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().containsIgnoringCase(why);
    }
}
