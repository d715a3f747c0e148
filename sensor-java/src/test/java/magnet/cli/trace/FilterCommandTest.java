// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FilterCommandTest extends WorldFixture {
    private static final Set<String> OWNERS = Set.of("task_attach", "cgroup_mkdir", "cgroup_rmdir");
    private static final String KEPT =
            "magnet: 3 of 6 events kept in %s, and 4 besides that name threads or tell owners;"
                    + " 4 were lost when the trace was saved";

    private Path trace;
    private Path out;

    @BeforeEach
    void save() throws IOException {
        world.control = FakeModule::openWithout;
        trace = save(folder.resolve("trace"));
        out = folder.resolve("out");
    }

    /** Of two processes, whose names and jobs only its records tell. */
    private static Path save(Path to) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(to, RecordLayout.WIDE)) {
            writer.own(new TraceOwners(OWNERS));
            String path = "/system.slice/slurmstepd.scope/job_1";
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.CLOCK, 0, 0, 0, 0, TIMER, 1, 2)
                            .record(EventType.LOST, 0, 0, 0, 0, TIMER + 1, 4, TIMER, TIMER)
                            .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER + 2, 1, 3, path.length())
                            .text(EventType.CGROUP_MKDIR, "path", path)
                            .record(EventType.SCHED_PROCESS_FORK, 0, 10, 10, 70, TIMER + 3, 70, 10)
                            .text(EventType.SCHED_PROCESS_FORK, "comm", "sender")
                            .record(EventType.TASK_ATTACH, 0, 10, 10, 70, TIMER + 4, 500, 0)
                            .record(EventType.UDP_SENDMSG, 0, 70, 70, 5, TIMER + 10, 100, 2, 17)
                            .record(EventType.UDP_SENDMSG, 0, 71, 71, 5, TIMER + 20, 1_000, 2, 17));
            TraceFixture.write(
                    writer,
                    1,
                    new RecordWriter()
                            .record(EventType.SCHED_PROCESS_EXIT, 1, 71, 71, 71, TIMER + 25, 0)
                            .record(EventType.UDP_SENDMSG, 1, 70, 70, 6, TIMER + 30, 1_000, 2, 17)
                            .record(EventType.SCHED_SWITCH, 1, 70, 70, 0, TIMER + 40, 1, 0));
        }
        return to;
    }

    private int filter(String... arguments) {
        return world.run(
                Stream.concat(Stream.of("filter"), Arrays.stream(arguments)).toArray(String[]::new));
    }

    private int filterTo(String rules) {
        return filter(trace.toString(), "-o", out.toString(), rules);
    }

    private void assertRefused(int exitCode, String line) {
        assertThat(world.errLines()).containsExactly("magnet: " + line);
        assertThat(exitCode).isEqualTo(line.contains("(see: ") ? 2 : 1);
        assertThat(world.outLines()).isEmpty();
        assertThat(out).doesNotExist();
    }

    private static List<String> described(Path folder) throws IOException {
        List<String> records = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(folder)) {
            reader.read(
                    record -> records.add(record.cpu() + " " + reader.eventName(record.event()) + " " + record.tgid()));
            assertThat(reader.defects()).isEmpty();
        }
        return records;
    }

    @Test
    void shouldKeepWhatTheRulesLetThroughAndWhatTellsNamesOwnersAndLosses() throws IOException {
        assertThat(filterTo("drop if tgid != 70")).as("%s", world.errLines()).isZero();
        assertThat(world.errLines()).containsExactly(KEPT.formatted(out));
        assertThat(world.outLines()).isEmpty();
        assertThat(described(out))
                .containsExactly(
                        "0 clock 0",
                        "0 lost 0",
                        "0 cgroup_mkdir 10",
                        "0 sched_process_fork 10",
                        "0 task_attach 10",
                        "0 udp_sendmsg 70",
                        "1 sched_process_exit 71",
                        "1 udp_sendmsg 70",
                        "1 sched_switch 70");
        assertThat(out.resolve("metadata")).hasSameTextualContentAs(trace.resolve("metadata"));
    }

    @Test
    void shouldLeaveAReportWithNamesAndJobs() {
        assertThat(filterTo("drop if tgid != 70")).isZero();
        assertThat(world.run("report", out.toString())).isZero();
        assertThat(world.outLines())
                .contains("events     5, lost 4")
                .anyMatch(line -> line.matches("70 \\(sender\\) +3 .* slurm:1"))
                .noneMatch(line -> line.startsWith("task_attach"));
    }

    @Test
    void shouldKeepAsManyAsAReportWithTheSameFilterCounts() {
        for (String rules : List.of("drop if tgid != 70", "drop if len < 1000", "drop", "sample 2")) {
            world.out.reset();
            world.err.reset();
            Path to = folder.resolve("to-" + rules.replace(' ', '-'));
            assertThat(filter(trace.toString(), "-o", to.toString(), "--json", rules))
                    .isZero();
            String kept = world.outLines().get(0).replaceAll(".*?\"kept\": (\\d+).*", "$1");
            world.out.reset();
            assertThat(world.run("report", "--json", "--filter", rules, trace.toString()))
                    .isZero();
            assertThat(world.outLines().get(0)).as(rules).contains("\"events\": " + kept + ", \"lost\": 4,");
        }
    }

    @Test
    void shouldTakeRulesAsOptionToo() {
        assertThat(filter("--filter", "log if tgid == 70", "--filter", "drop", trace.toString(), "-o", out.toString()))
                .isZero();
        assertThat(world.errLines()).containsExactly(KEPT.formatted(out));
    }

    @Test
    void shouldTakeWordsAsReportDoes() throws IOException {
        assertThat(filterTo("drop if protocol == udp")).isZero();
        assertThat(described(out)).noneMatch(line -> line.contains("udp_sendmsg"));
    }

    @Test
    void shouldFilterARunNodeByNode() throws IOException {
        Path run = folder.resolve("run");
        save(run.resolve("node1"));
        save(run.resolve("node2/000001"));
        save(run.resolve("node2/000002"));
        Files.createDirectory(run.resolve("logs"));
        Files.writeString(run.resolve("notes.txt"), "by hand");
        assertThat(filter(run.toString(), "-o", out.toString(), "--json", "drop if tgid != 70"))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: " + run.resolve("logs") + " has no trace: it is left out",
                        "magnet: 9 of 18 events of 2 traces kept in " + out
                                + ", and 12 besides that name threads or tell"
                                + " owners; 12 were lost when the traces were saved");
        assertThat(world.outLines())
                .containsExactly("{\"output\": \"" + out + "\", \"events\": 18, \"kept\": 9, \"kept_besides\": 12,"
                        + " \"lost\": 12, \"traces\": [{\"trace\": \"" + run + "/node1\", \"output\": \"" + out
                        + "/node1\", \"events\": 6, \"kept\": 3, \"kept_besides\": 4, \"lost\": 4}, {\"trace\": \""
                        + run + "/node2\", \"output\": \"" + out
                        + "/node2\", \"events\": 12, \"kept\": 6, \"kept_besides\": 8, \"lost\": 8}]}");
        assertThat(described(out.resolve("node1"))).hasSize(9);
        assertThat(described(out.resolve("node2"))).hasSize(18);
        try (Stream<Path> files = Files.walk(out)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> out.relativize(file).toString()))
                    .containsExactlyInAnyOrder(
                            "node1/metadata",
                            "node1/cpu0",
                            "node1/cpu1",
                            "node2/000001/metadata",
                            "node2/000001/cpu0",
                            "node2/000001/cpu1",
                            "node2/000002/metadata",
                            "node2/000002/cpu0",
                            "node2/000002/cpu1");
        }
    }

    @Test
    void shouldGiveEachOfSeveralTracesAFolder() throws IOException {
        Path other = save(folder.resolve("other"));
        assertThat(filter(trace.toString(), other.toString(), "-o", out.toString(), "log"))
                .isZero();
        assertThat(described(out.resolve("trace"))).isEqualTo(described(trace));
        assertThat(described(out.resolve("other"))).isEqualTo(described(other));
    }

    @Test
    void shouldRefuseTracesOfOneName() throws IOException {
        Path other = save(folder.resolve("b/trace"));
        assertRefused(
                filter(trace.toString(), other.toString(), "-o", out.toString(), "log"),
                trace + " and " + other + " have the same name, which is to set them apart; take them one by one");
    }

    @Test
    void shouldRefuseRulesThatAreNoneBeforeItWritesAnything() {
        assertRefused(
                filterTo("drop if nosuch == 1"),
                trace
                        + ": no event of the trace has a field 'nosuch'; its metadata lists them, and every event has cpu,"
                        + " tgid, tid and id (see: magnet help rules)");
        world.err.reset();
        assertRefused(
                filterTo("keep"),
                "a rule begins with log, drop, urgent, sample N or every TIME (see: magnet help rules)");
        world.err.reset();
        assertRefused(
                filterTo(" ; "),
                "there is no rule in ' ; '; to keep all events, write log (see: magnet filter --help)");
    }

    @Test
    void shouldSayWhichArgumentIsMissing() {
        assertRefused(
                filter(trace.toString(), "-o", out.toString()),
                "RULES are missing behind " + trace + " (see: magnet filter --help)");
        world.err.reset();
        assertRefused(filter("-o", out.toString(), "drop"), "TRACE is missing before drop (see: magnet filter --help)");
        world.err.reset();
        assertRefused(filter(trace.toString(), "drop"), "--output FOLDER is missing (see: magnet filter --help)");
    }

    @Test
    void shouldNotWriteIntoWhatItReads() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), trace);
        out = link.resolve("000007/deep");
        assertRefused(
                filterTo("log"),
                "-o " + out + " is inside of " + trace + ", which is read; name another folder (see: magnet filter"
                        + " --help)");
        assertThat(link.resolve("000007")).doesNotExist();
        world.err.reset();
        Path run = Files.createDirectory(folder.resolve("run"));
        Path node = Files.createSymbolicLink(run.resolve("node1"), trace);
        out = trace.resolve("out");
        assertRefused(
                filter(run.toString(), "-o", out.toString(), "log"),
                "-o " + out + " is inside of " + node + ", which is read; name another folder (see: magnet filter"
                        + " --help)");
    }

    @Test
    void shouldLeaveAFolderAloneThatHasSomething() throws IOException {
        Files.createDirectory(out);
        Files.writeString(out.resolve("mine"), "mine");
        assertThat(filterTo("log")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + out + ": it is not empty; a trace wants a folder of its own");
        assertThat(out).isDirectoryContaining("glob:**/mine");
        Files.delete(out.resolve("mine"));
        assertThat(filterTo("log")).as("an empty one is taken").isZero();
    }

    @Test
    void shouldSayWhatIsNoTrace() {
        trace = folder.resolve("proc");
        assertRefused(filterTo("log"), trace + " has no trace: there is no file 'metadata', and no folder with one");
        world.err.reset();
        trace = folder.resolve("nowhere");
        assertRefused(filterTo("log"), trace + ": there is no such folder");
    }

    @Test
    void shouldFilterAnEmptyTrace() throws IOException {
        trace = folder.resolve("empty");
        TraceFixture.writer(trace, RecordLayout.CLASSIC).close();
        assertThat(filterTo("drop")).isZero();
        assertThat(world.errLines())
                .containsExactly("magnet: 0 of 0 events kept in " + out + "; none were lost when the trace was saved");
        assertThat(described(out)).isEmpty();
    }

    @Test
    void shouldTellDamageAndFilterTheRest() throws IOException {
        byte[] bytes = Files.readAllBytes(trace.resolve("cpu1"));
        Files.write(trace.resolve("cpu1"), Arrays.copyOf(bytes, bytes.length - 8));
        Files.createDirectory(trace.resolve("cpu2"));
        assertThat(filterTo("drop if tgid == 71")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: " + trace
                                + "/cpu1 is cut off: its last packet lacks 8 bytes; everything before it was read",
                        "magnet: " + trace + "/cpu2: is no regular file; its events are not in " + out,
                        "magnet: 3 of 5 events kept in " + out
                                + ", and 3 besides that name threads or tell owners; 4 were"
                                + " lost when the trace was saved");
        assertThat(described(out)).hasSize(8).doesNotContain("1 sched_switch 70");
    }

    /** A file of the second trace goes away when the first one is done. */
    @Test
    void shouldRemoveWhatItHasNotFinished() throws IOException {
        trace = folder.resolve("run");
        save(trace.resolve("node1"));
        Path gone = save(trace.resolve("node2")).resolve("cpu1");
        out = folder.resolve("new/out");
        world.clock = () -> {
            if (Files.exists(out.resolve("node2"))) {
                assertThat(out.resolve("node1/cpu0")).isNotEmptyFile();
                assertThat(gone.toFile().delete()).isTrue();
            }
            return 0;
        };
        assertThat(filterTo("log")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + gone + ": no such file or folder; the incomplete trace is removed");
        assertThat(folder.resolve("new")).doesNotExist();
    }

    @Test
    void shouldLeaveNothingWhenInterrupted() throws IOException {
        world.interruption.interrupt();
        assertRefused(filterTo("log"), "interrupted: there is no trace in " + out);
        world.err.reset();
        Files.createDirectory(out);
        assertThat(filterTo("log")).isEqualTo(1);
        assertThat(out).as("it was there before").isEmptyDirectory();
    }

    @Test
    void shouldSayForHowManyEventsARuleLacksHeaders() throws IOException {
        trace = folder.resolve("packets");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer, 0, new RecordWriter().record(EventType.IP_SEND_SKB, 0, 70, 70, 5, TIMER, 100, 2, 17));
        }
        assertThat(filterTo("drop if saddr == 10.0.0.1")).isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: of 1 event the rules ask for headers of packets that the trace does not have, so that"
                                + " they do not match; save it with --snap 128",
                        "magnet: 1 of 1 event kept in " + out + "; none were lost when the trace was saved");
    }

    @Test
    void shouldShowOnATerminalHowFarItIs() throws IOException {
        trace = folder.resolve("long");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 20);
            for (int i = 0; i < 1 << 14; i++) {
                records.record(EventType.TCP_CONSUME, 0, 1, 1, 0, TIMER + i);
            }
            TraceFixture.write(writer, 0, records);
        }
        world.terminal = true;
        long[] nanos = new long[1];
        world.clock = () -> nanos[0] += 1_000_000_000;
        assertThat(filterTo("drop")).as("%s", world.errLines()).isZero();
        assertThat(world.err.toString(StandardCharsets.UTF_8))
                .startsWith("\r\u001b[Kmagnet: 16384 records filtered\r\u001b[Kmagnet: 0 of 16384 events kept in ");
    }

    @Test
    void shouldNotTakeOwnersThatTheTraceDoesNotTellForOwners() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder.resolve("old"), RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer, 0, new RecordWriter().record(EventType.TASK_ATTACH, 0, 10, 10, 70, TIMER + 4, 500, 0));
        }
        trace = folder.resolve("old");
        assertThat(filterTo("drop")).isZero();
        assertThat(world.errLines())
                .containsExactly("magnet: 0 of 1 event kept in " + out + "; none were lost when the trace was saved");
        try (TraceWriter writer = TraceFixture.writer(folder.resolve("asked"), RecordLayout.WIDE)) {
            writer.own(new TraceOwners(Set.of("cgroup_mkdir", "cgroup_rmdir"), Map.of(), Map.of()));
            TraceFixture.write(
                    writer, 0, new RecordWriter().record(EventType.TASK_ATTACH, 0, 10, 10, 70, TIMER + 4, 500, 0));
        }
        trace = folder.resolve("asked");
        out = folder.resolve("out2");
        world.err.reset();
        assertThat(filterTo("drop")).isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 0 of 1 event kept in " + out + ", and 1 besides that name threads or tell owners;"
                                + " none were lost when the trace was saved");
    }
}
