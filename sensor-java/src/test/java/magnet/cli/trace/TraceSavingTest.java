// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import magnet.cli.LiveFixture;
import magnet.cli.world.Interruption;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import magnet.trace.TraceFixture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class TraceSavingTest extends LiveFixture {
    private static final long TIMER = 5_000;

    private Path trace;

    @BeforeEach
    void prepare() throws IOException {
        trace = folder.resolve("a/trace");
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        Files.createDirectories(world.processes.resolve("sys/kernel"));
        Files.writeString(world.processes.resolve("sys/kernel/hostname"), "node7\n");
        Files.createDirectories(world.processes.resolve("412"));
        Files.writeString(world.processes.resolve("412/comm"), "sshd\n");
        log();
    }

    private void log() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 1, 412, 419, 77, TIMER + 250, 0x8000_0000L, 70)
                .bytes());
        first.write(new RecordWriter()
                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 100, 1_790_000_000_000_000_040L, 2_040)
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 200, 1_400, 2, 17)
                .record(EventType.LOST, 0, 0, 0, 0, TIMER + 400, 3, 1, 2)
                .bytes());
    }

    @Test
    void shouldSaveWhatProcessesAreCalledAlsoOfThoseThatHaveEnded() throws IOException {
        module.naming();
        first.write(new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, 99, 99, 99, TIMER + 500, 99, 10)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short")
                .record(EventType.SCHED_PROCESS_EXIT, 0, 99, 99, 99, TIMER + 600, 0, 1, 10)
                .text(EventType.SCHED_PROCESS_EXIT, "comm", "short")
                .bytes());
        assertThat(world.run("read", "-p", "udp_sendmsg", "-o", trace.toString(), "-d", "0.5"))
                .isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: saving events of 1 point in " + trace,
                        "magnet: 2 events saved in " + trace
                                + ", and 2 that say what threads are called; of 26 hits 5 were lost;"
                                + " 20 events that name threads were lost",
                        "magnet: of the lost 25 found the buffer full (use more than --buffer-size 256K,"
                                + " fewer points, or a rule that drops what is not wanted)");
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("99 (short)"))
                .anyMatch(line -> line.startsWith("412 (sshd)"));
    }

    private void logOwners() throws IOException {
        first.write(new RecordWriter()
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER + 500, 1, 3, 39)
                .text(EventType.CGROUP_MKDIR, "path", "/system.slice/slurmstepd.scope/job_4711")
                .record(EventType.TASK_ATTACH, 0, 10, 10, 99, TIMER + 510, 500, 0)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 600, 1_400, 2, 17)
                .bytes());
    }

    @Test
    void shouldSaveWhatTellsOwnersBesideWhatIsAskedFor() throws IOException {
        module.owning();
        logOwners();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-o", trace.toString(), "-d", "0.5"))
                .isZero();
        assertThat(module.subscriptions())
                .containsExactly("cgroup_mkdir", "cgroup_rmdir", "task_attach", "udp_sendmsg");
        assertThat(world.errLines())
                .contains("magnet: 3 events saved in " + trace + ", and 2 that say whose they are; of 26 hits 5 were"
                        + " lost; 15 events that name threads or tell owners were lost");
        assertThat(Files.readString(trace.resolve("metadata")))
                .contains("owners = \"cgroup_mkdir,cgroup_rmdir,task_attach\";");
        assertThat(world.run("report", "--by", "job", trace.toString())).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.matches("slurm:4711 +1 .*"));
    }

    @Test
    void shouldNotSayThatATraceTellsOwnersWhenRulesLeaveThemOut() throws IOException {
        module.owning();
        logOwners();
        assertThat(world.run(
                        "read",
                        "-p",
                        "udp_sendmsg,task_attach",
                        "--filter",
                        "drop if cpu == 3",
                        "-o",
                        trace.toString(),
                        "-d",
                        "0.5"))
                .isZero();
        assertThat(Files.readString(trace.resolve("metadata"))).doesNotContain("owners = ");
    }

    @Test
    void shouldSaveWhatTheReportThenTells() throws IOException {
        Path raw = folder.resolve("raw");
        assertThat(world.run(
                        "read",
                        "-p",
                        "udp_sendmsg",
                        "-o",
                        trace.toString(),
                        "-d",
                        "0.5",
                        "--filter",
                        "log",
                        "--records",
                        raw.toString()))
                .isZero();
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: saving events of 1 point in " + trace,
                        "magnet: 2 events saved in " + trace + "; of 26 hits 5 were lost",
                        "magnet: of the lost 5 found the buffer full (use more than --buffer-size 256K,"
                                + " fewer points, or a rule that drops what is not wanted)");
        assertThat(Files.size(raw.resolve("cpu1.raw"))).isEqualTo(40);
        assertThat(Files.size(trace.resolve("cpu1"))).isEqualTo(56 + 40);
        assertThat(module.lastRequest("SUB_NEW")).contains("RULES=log");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();

        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .startsWith(
                        "trace      " + trace + " of node7, layout wide, 2 CPUs",
                        "time       2026-09-21T14:13:20.000000Z to 2026-09-21T14:13:20.000000Z, 0.000 s",
                        "events     2, lost 3");
    }

    /** It hangs at an event that is not described yet: who asks how waits until the test answers. */
    @Test
    void shouldSayWhatIsLeftWhenSavingHangs() throws Exception {
        List<String> format = TraceFixture.format(RecordLayout.WIDE);
        Files.write(
                world.format,
                format.stream().filter(line -> !line.contains(" sched_wakeup ")).toList());
        world.interruption = new Interruption(Duration.ofMillis(50));
        CompletableFuture<Integer> reading =
                CompletableFuture.supplyAsync(() -> world.run("read", "-o", trace.toString()));
        while (!Files.exists(trace.resolve("cpu0")) || !Files.exists(trace.resolve("cpu1"))) {
            assertThat(reading).isNotDone();
            Thread.sleep(1);
        }
        Path question = folder.resolve("question");
        Fifo.create(question).close();
        Files.move(question, world.format, StandardCopyOption.REPLACE_EXISTING);
        first.write(new RecordWriter()
                .record(EventType.SCHED_WAKEUP, 0, 412, 419, 77, TIMER + 500, 0, 4)
                .bytes());
        List<String> complaints = new ArrayList<>();
        try (OutputStream answer = new FileOutputStream(world.format.toFile())) {
            assertThat(world.interruption.end(complaints::add)).hasValue(1);
            answer.write(String.join("\n", format).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(complaints)
                .singleElement()
                .asString()
                .endsWith("without progress: 4040 bytes of events were left unread; what was written before stays in "
                        + trace);
        assertThat(reading.join()).isZero();
    }

    @Test
    void shouldEndAfterTheCount() throws IOException {
        assertThat(world.run("read", "-o", trace.toString(), "-n", "1", "--buffer-size", "4M"))
                .isZero();
        assertThat(trace.resolve("metadata")).exists();
        assertThat(Files.readString(trace.resolve("metadata")))
                .contains("\tprocess_412 = \"sshd\";\n")
                .doesNotContain("process_99", "process_0 ");
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=4194304");
    }

    @Test
    void shouldGoOnInAFurtherPart() {
        assertThat(world.run("read", "-o", trace.toString(), "-d", "0.5", "--rotate-size", "100", "--keep", "1"))
                .isZero();
        assertThat(world.errLines().get(1)).contains(", in 2 parts of which the oldest 1 is removed; of 78 hits");
        assertThat(trace.resolve("000001")).doesNotExist();
        assertThat(trace.resolve("000002/metadata")).exists();
    }

    @Test
    void shouldEndWhenTooLittleIsFree() throws IOException {
        closeFifos();
        Files.delete(first.path());
        Files.delete(second.path());
        first = Fifo.create(first.path());
        second = Fifo.create(second.path());
        module.whenSubscribed(this::log);
        assertThat(world.run("read", "-o", trace.toString(), "-d", "30", "--min-free", "8000000000G"))
                .isEqualTo(1);
        assertThat(world.errLines().get(world.errLines().size() - 1))
                .startsWith("magnet: " + trace + ": less is free on its file system than is to stay so; ")
                .matches(".*; [1-9]\\d* events were not written; what was written before stays and can be read");
        assertThat(module.isClosed()).isTrue();
    }

    @Test
    void shouldNotWriteAmongOtherFiles() throws IOException {
        assertThat(world.run("read", "-o", folder.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + folder + ": it is not empty; a trace wants a folder of its own");
        assertThat(module.wasAskedTo("BUFFER_NEW")).isFalse();
    }

    @Test
    void shouldSayWhenNothingTellsTheFormat() throws IOException {
        Files.delete(world.format);
        assertThat(world.run("read", "-o", trace.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + world.format
                        + ": it is not there; a trace needs debugfs: mount -t debugfs debugfs" + " /sys/kernel/debug");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--json", "-v", "--pid 5",
            })
    void shouldNotPrintAndSave(String option) {
        String[] words = ("read -o t " + option).split(" ", -1);
        assertThat(world.run(words)).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().contains("-o prints no events", "--filter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "read --rotate-size 1M",
                "read --rotate-every 1h",
                "read --keep 2",
                "read --min-free 1G",
                "read -o t --keep 2",
                "read -o t --rotate-size 1M --keep 0",
                "read -o t --rotate-size 0",
                "read -o t --rotate-every 5x",
                "read -o t --rotate-every 0s",
            })
    void shouldRefuseWhatCannotBe(String line) {
        assertThat(world.run(line.split(" ", -1))).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().contains("(see: magnet read --help)");
    }
}
