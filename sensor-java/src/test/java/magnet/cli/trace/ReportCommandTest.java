// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The made-up trace's timer 5000 is 2026-09-21T14:13:20Z; 2,500 ticks are a microsecond. */
final class ReportCommandTest extends WorldFixture {
    private static final long MICROSECOND = 2_500;

    private Path trace;

    @BeforeEach
    void prepare() throws IOException {
        world.control = FakeModule::openWithout;
        trace = folder.resolve("trace");
    }

    private static long at(long micros) {
        return TIMER + micros * MICROSECOND;
    }

    private void save() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.CLOCK, 0, 0, 0, 0, TIMER, 1, 2)
                            .record(EventType.SCHED_WAKEUP, 0, 70, 71, 81, at(100), 1, 80)
                            .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(150), 1_400, 2, 17)
                            .unknown(0x401, 0, at(160), 0)
                            .record(EventType.LOST, 0, 0, 0, 0, at(1_000), 3, 1, 2)
                            .record(EventType.STORM, 0, 0, 0, 16, at(1_000_100), 4, 1, 2));
            TraceFixture.write(
                    writer,
                    1,
                    new RecordWriter()
                            .record(EventType.SCHED_SWITCH, 1, 0, 0, 81, at(120), 0, 80)
                            .record(EventType.SCHED_SWITCH, 1, 80, 81, 0, at(500_000), 1, 0)
                            .record(EventType.MARKER, 1, 80, 81, 0, at(1_000_100), 0));
        }
    }

    @Test
    void shouldSummariseATrace() throws IOException {
        save();
        assertThat(world.run("report", trace.toString()))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.errLines()).isEmpty();
        List<String> lines = world.outLines();
        assertThat(lines)
                .startsWith(
                        "trace      " + trace + " of node1, layout wide, 2 CPUs",
                        "time       2026-09-21T14:13:20.000100Z to 2026-09-21T14:13:21.000100Z, 1.000 s",
                        "events     6, lost 7")
                .containsSubsequence(
                        "EVENT         COUNT  PER SECOND  SHARE",
                        "sched_switch      2         2.0  33.3%",
                        "udp_sendmsg       1         1.0  16.7%")
                .containsSubsequence(
                        "CPU  EVENTS  SHARE  LOST  REFUSED",
                        "0*        3  50.0%     3        4",
                        "1         3  50.0%     0        0",
                        "* events were lost there: its figures, and those of all, are too low",
                        "* a storm guard refused events there: its figures, and those of all, are too low")
                .containsSubsequence(
                        "PROCESS   EVENTS  SHARE  CPU TIME ms  SLICES",
                        "70             2  33.3%        0.000       0",
                        "80             2  33.3%      499.880       1",
                        "0 (idle)       1  16.7%        0.000       0")
                .contains("sample_text       1         1.0  16.7%")
                .anySatisfy(line ->
                        assertThat(line).matches("sched_run_queue_wait +20\\.\\d+ +20\\.\\d+ +20\\.\\d+ +20\\.000"))
                .anySatisfy(
                        line -> assertThat(line).matches("sched_time_slice +\\d+\\.\\d+ +\\d+\\.\\d+ +499880\\.000"))
                .anySatisfy(line -> assertThat(line).matches("sched_context_switches_rate +2\\.000 +switches/sec"));
    }

    /** Suspended for an hour, in which the TSC began anew; process 80 ran when it fell asleep, and when it woke up. */
    private void saveWithSuspend() throws IOException {
        long woke = 1_790_003_600_000_000_000L;
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.CLOCK, 0, 0, 0, 0, at(0), 1, 2, 3)
                            .record(EventType.SCHED_SWITCH, 0, 0, 0, 81, at(100), 0, 80)
                            .record(EventType.SCHED_SWITCH, 0, 80, 81, 0, at(300), 1, 0)
                            .record(EventType.SCHED_WAKEUP, 0, 70, 71, 81, at(900_000), 0, 80)
                            .record(EventType.SCHED_SWITCH, 0, 0, 0, 81, at(1_000_100), 0, 80)
                            .record(EventType.CLOCK, 0, 0, 0, 0, 50, woke, 2, 4)
                            .record(EventType.SCHED_SWITCH, 0, 80, 81, 0, 50 + 200 * MICROSECOND, 1, 0)
                            .record(EventType.SCHED_SWITCH, 0, 0, 0, 81, 50 + 600 * MICROSECOND, 0, 80)
                            .record(EventType.SCHED_SWITCH, 0, 80, 81, 0, 50 + 1_000_200 * MICROSECOND, 1, 0));
            TraceFixture.write(
                    writer,
                    1,
                    new RecordWriter()
                            .record(EventType.CLOCK, 1, 0, 0, 0, at(0), 1, 2, 3)
                            .record(EventType.CLOCK, 1, 0, 0, 0, 60, woke, 2, 4));
        }
    }

    @Test
    void shouldReportNothingThatLastedOverASuspend() throws IOException {
        saveWithSuspend();

        assertThat(world.run("report", trace.toString())).isZero();

        assertThat(world.outLines())
                .contains("events     7, lost 0")
                .anyMatch(line -> line.matches("80 +3 .* 999\\.800 +2"))
                .anyMatch(line -> line.matches("sched_time_slice .* 999600\\.000"))
                .contains("time       2026-09-21T14:13:20.000100Z to 2026-09-21T15:13:21.000200Z, 2.000 s");
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .contains("the timer jumped or began anew once, as after a suspend");
    }

    @Test
    void shouldPrintOneJsonObjectWhenAskedFor() throws IOException {
        save();
        Path conf = config("[handler sends]\nkind = count\npoint = udp_sendmsg\n");
        assertThat(world.run("report", "--json", "--top", "1", "--config", conf.toString(), trace.toString()))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .startsWith("{\"trace\": \"" + trace + "\", \"host\": \"node1\", \"layout\": \"wide\", \"cpus\": 2,"
                        + " \"events\": 6, \"lost\": 7, \"clock_jumps\": 0, \"unmeasured\": {\"lost\": 1, \"unpaired\": 0, \"evicted\": 0},"
                        + " \"begin\": \"2026-09-21T14:13:20.000100Z\", \"end\": \"2026-09-21T14:13:21.000100Z\","
                        + " \"seconds\": 1.0, \"by_event\": {\"sched_switch\": 2, ")
                .contains("\"by_cpu\": [{\"cpu\": 0, \"events\": 3, \"lost\": 3, \"refused\": 4},"
                        + " {\"cpu\": 1, \"events\": 3, \"lost\": 0, \"refused\": 0}]")
                .contains("\"by_process\": [{\"tgid\": 70, \"name\": \"\", \"events\": 2, \"cpu_ms\": 0.0,"
                        + " \"slices\": 0}]")
                .contains("\"magnet_sched_run_queue_wait_max\": 20.0")
                .endsWith("\"handlers\": {\"magnet_sends_events_count\": 1.0}}");
    }

    @Test
    void shouldNameProcessesThatTheTraceNames() throws IOException {
        save();
        Path metadata = trace.resolve("metadata");
        Files.writeString(
                metadata,
                Files.readString(metadata)
                        .replace("layout = \"wide\";", "layout = \"wide\";\n\tprocess_80 = \"a\\033b\";"));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("80 (a\\x1bb)  "))
                .anyMatch(line -> line.startsWith("70  "));
    }

    /** Of 6 events: one udp_sendmsg of 1,400 bytes, and a wakeup 20 us before the switch to the same thread. */
    @Test
    void shouldRunOwnHandlersOverTheTrace() throws IOException {
        save();
        Path conf = config("""
                [handler sends]
                kind = count
                point = udp_sendmsg
                [handler large]
                kind = rate
                point = udp_sendmsg
                where = drop if len < 1401
                [handler sizes]
                kind = distribution
                point = udp_sendmsg
                field = len
                level = full
                [handler waits]
                kind = interval
                point = sched_wakeup
                until = sched_switch
                [handler faults]
                kind = count
                point = block_rq_issue
                """);
        assertThat(world.run("report", "--config", conf.toString(), trace.toString()))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.errLines()).containsExactly("magnet: handler faults: there is no event of 'block_rq_issue'");
        assertThat(world.outLines())
                .anyMatch(line -> line.matches("OWN HANDLER +VALUE  UNIT"))
                .anyMatch(line -> line.matches("magnet_sends_events_count +1\\.000 +events"))
                .anyMatch(line -> line.matches("magnet_large_events_rate +0\\.000 +events/sec"))
                .anyMatch(line -> line.matches("magnet_sizes_len_p99 +1400\\.000 +len"))
                .anyMatch(line -> line.matches("magnet_waits_interval_max +20\\.000 +us"))
                .noneMatch(line -> line.startsWith("magnet_faults") || line.startsWith("magnet_handlers"));
    }

    @Test
    void shouldGiveOwnHandlersWhatTheFilterLetsThrough() throws IOException {
        save();
        Path conf = config("[handler sends]\nkind = count\npoint = udp_sendmsg\n");
        assertThat(world.run("report", "-c", conf.toString(), "--filter", "drop if tgid == 70", trace.toString()))
                .isZero();
        assertThat(world.outLines()).noneMatch(line -> line.contains("magnet_sends"));
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 1 event was filtered", "magnet: handler sends: there is no event of 'udp_sendmsg'");
    }

    /** In the trace it is called as magnetd calls it. */
    @Test
    void shouldRunOwnHandlersOfDynamicPoints() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, new RecordWriter().unknown(0x400, 0, at(160), 7L << 32, 0, 0));
        }
        Path metadata = trace.resolve("metadata");
        Files.writeString(
                metadata,
                Files.readString(metadata)
                        .replace("\"f_open\"", "\"magnetd_opens_0\"")
                        .replace("\t\ttext _name[12];\n", ""));
        String point = "f:do_filp_open small=$arg1:u8 ret=$arg2:s32";
        Path conf = config("""
                [handler opens]
                kind = count
                point = f:do_filp_open ret=$arg2:s32
                [handler other]
                kind = count
                point = %s
                """.formatted(point));
        assertThat(world.run("report", "-c", conf.toString(), trace.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: " + conf
                                + ":1: handler opens: event magnetd_opens_0 of the trace has other fields than"
                                + " 'f:do_filp_open ret=$arg2:s32'; its metrics are not in the report",
                        "magnet: " + conf + ":4: handler other: the trace has no event magnetd_other_0, which is what"
                                + " magnetd calls '" + point + "'; its metrics are not in the report");
        config("[handler opens]\nkind = count\nfield = ret\npoint = " + point + "\n");
        world.out.reset();
        assertThat(world.run("report", "-c", conf.toString(), trace.toString())).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.matches("magnet_opens_ret_count +7\\.000 +ret"));
    }

    @Test
    void shouldSayWhatIsWrongWithTheConfigurationOfHandlers() throws IOException {
        save();
        Path none = config("[publish]\ninterval = 5s\n");
        assertThat(world.run("report", "-c", none.toString(), trace.toString())).isEqualTo(1);
        Path bad = config("[handler x]\nkind = count\npoint = nosuch\n");
        assertThat(world.run("report", "-c", bad.toString(), trace.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .hasSize(2)
                .startsWith("magnet: " + none + ": there is no [handler NAME] and no handler-directory in it")
                .last()
                .asString()
                .startsWith("magnet: " + bad + ":3: [handler x] there is no point 'nosuch'");
        assertThat(world.outLines()).isEmpty();
    }

    private Path config(String text) throws IOException {
        return Files.writeString(folder.resolve("handlers.conf"), text);
    }

    @Test
    void shouldTellDropsByReasonWhenTheTraceNamesThem() throws IOException {
        saveDrops(TraceFixture.origin(RecordLayout.WIDE));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.matches("net_drops_rate +3\\.000 +packets/sec"))
                .anyMatch(line -> line.matches("net_drops_no_socket_rate +2\\.000 +packets/sec"))
                .anyMatch(line -> line.matches("net_drops_unspecified_rate +1\\.000 +packets/sec"))
                .as("what never happened is left out")
                .noneMatch(line -> line.startsWith("net_drops_other_rate"));
    }

    @Test
    void shouldTellDropsOnlyWhenTheTraceDoesNot() throws IOException {
        saveDrops(TraceFixture.withoutReasons(RecordLayout.WIDE));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.matches("net_drops_rate +3\\.000 +packets/sec"))
                .noneMatch(line -> line.matches("net_drops_[a-z_]+_rate .*"));
    }

    private void saveDrops(TraceWriter.Origin origin) throws IOException {
        try (TraceWriter writer = new TraceWriter(trace, origin, () -> TraceFixture.format(RecordLayout.WIDE))) {
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.KFREE_SKB, 0, 1, 1, 0, at(0), 9, 60, 1, 0x800, 0, 60, 3)
                            .record(EventType.KFREE_SKB, 0, 1, 1, 0, at(10), 9, 60, 1, 0x800, 0, 60, 2)
                            .record(EventType.KFREE_SKB, 0, 1, 1, 0, at(1_000_000), 9, 60, 1, 0x800, 0, 60, 3));
        }
    }

    @Test
    void shouldPrintAsManyProcessesAsAreWanted() throws IOException {
        save();
        assertThat(world.run("report", "--top", "1", trace.toString())).isZero();
        assertThat(world.outLines())
                .contains("and 3 processes with fewer events")
                .noneMatch(line -> line.startsWith("80 "));
        assertThat(world.run("report", "--top", "-1", trace.toString())).isEqualTo(2);
    }

    @Test
    void shouldCountOnlyWhatTheRulesLetThrough() throws IOException {
        save();
        assertThat(world.run(
                        "report",
                        "--filter",
                        "drop if cpu == 1",
                        "--filter",
                        "drop if tgid != 70,80",
                        trace.toString()))
                .isZero();
        assertThat(world.outLines())
                .contains("events     2, lost 7")
                .noneMatch(line -> line.startsWith("sched_switch"));
        assertThat(world.errLines()).containsExactly("magnet: 4 events were filtered");
    }

    @Test
    void shouldSayWhatIsWrongWithARule() throws IOException {
        save();
        assertThat(world.run("report", "--filter", "drop if nosuch == 1", trace.toString()))
                .isEqualTo(2);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: no event of the trace has a field 'nosuch'; its metadata lists them, and every"
                                + " event has cpu, tgid, tid and id (see: magnet help rules)");
        assertThat(world.outLines()).isEmpty();
    }

    @Test
    void shouldSayWhenPacketsAreNotInTheTrace() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, new RecordWriter().record(EventType.UDP_RCV, 0, 0, 0, 0, TIMER, 1, 60));
        }
        assertThat(world.run("report", "--filter", "drop if dport != 53", trace.toString()))
                .isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 0 events were filtered",
                        "magnet: of 1 event the rules ask for headers of packets that the trace does not have, so that"
                                + " they do not match; save it with --snap 128");
    }

    @Test
    void shouldTellDamageOnceAndReportTheRest() throws IOException {
        save();
        byte[] bytes = Files.readAllBytes(trace.resolve("cpu1"));
        bytes[56] = 0x7f;
        bytes[56 + 40] = 0x7f;
        Files.write(trace.resolve("cpu1"), Arrays.copyOf(bytes, bytes.length - 8));
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines()).contains("events     3, lost 7");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 2 malformed records or packets in " + trace
                                + "/cpu1, the first at byte 56: passed over, 80 bytes",
                        "magnet: " + trace
                                + "/cpu1 is cut off: its last packet lacks 8 bytes; everything before it was read");
    }

    @Test
    void shouldTellOfFilesThatCannotBeReadAndReportTheRest() throws IOException {
        save();
        Files.createDirectory(trace.resolve("cpu2"));
        Files.createSymbolicLink(trace.resolve("cpu3"), Path.of("/dev/zero"));
        Files.createSymbolicLink(trace.resolve("cpu4"), trace.resolve("nowhere"));
        assertThat(world.run("report", trace.toString())).isEqualTo(1);
        assertThat(world.outLines()).contains("events     6, lost 7");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: " + trace + "/cpu2: is no regular file; its events are not in the report",
                        "magnet: " + trace + "/cpu3: is no regular file; its events are not in the report",
                        "magnet: " + trace
                                + "/cpu4: no such file: it is a link to nowhere; its events are not in the report");
    }

    @Test
    void shouldTellOfAFileThatMayNotBeRead() throws IOException {
        save();
        Path file = trace.resolve("cpu1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        boolean root = Files.isReadable(file);
        assertThat(world.run("report", trace.toString())).isEqualTo(root ? 0 : 1);
        assertThat(world.errLines())
                .isEqualTo(
                        root
                                ? List.of()
                                : List.of("magnet: " + file + ": permission denied; its events are not in the report"));
    }

    /** Whoever made the trace chose them, and the terminal is somebody else's. */
    @Test
    void shouldShowNamesOfATraceByTheirBytes() throws IOException {
        save();
        Path metadata = trace.resolve("metadata");
        String text = Files.readString(metadata, StandardCharsets.ISO_8859_1);
        assertThat(text).contains("\"node1\"", "\"sample_text\"");
        Files.writeString(
                metadata,
                text.replace("\"node1\"", "\"no\u001b[2Jde\"").replace("\"sample_text\"", "\"sample\u001b]0x\u0007\""),
                StandardCharsets.ISO_8859_1);
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("trace      " + trace + " of no\\x1b[2Jde, "))
                .anyMatch(line -> line.startsWith("sample\\x1b]0"))
                .noneMatch(line -> line.contains("\u001b") || line.contains("\u0007"));
    }

    @Test
    void shouldReportATraceWithoutEvents() throws IOException {
        TraceFixture.writer(trace, RecordLayout.CLASSIC).close();
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines())
                .containsExactly("trace      " + trace + " of node1, layout classic, 0 CPUs", "events     0, lost 0");
    }

    @Test
    void shouldSayWhenThereIsNoTrace() {
        assertThat(world.run("report", folder.resolve("nowhere").toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + folder.resolve("nowhere") + ": there is no such folder");
        assertThat(world.run("report")).isEqualTo(2);
    }

    @Test
    void shouldSayWhenTheTraceIsAFile() throws IOException {
        Path file = Files.createFile(folder.resolve("mg"));
        assertThat(world.run("report", file.toString())).isEqualTo(1);
        assertThat(world.run("count", "-p", "udp_rcv", "--trace", file.toString()))
                .isEqualTo(1);
        assertThat(world.errLines())
                .containsOnly("magnet: " + file + ": it is a file; a trace is the folder that it was saved in");
        assertThat(world.run("report", "--top", "0", folder.toString())).isEqualTo(2);
        assertThat(world.errLines()).last().asString().contains("--top N must be at least 1");
    }

    @Test
    void shouldCountMoreProcessesThanThereIsRoomForTogether() {
        ProcessCounts counts = new ProcessCounts();
        for (int tgid = 0; tgid < ProcessCounts.PROCESSES_MAX + 3; tgid++) {
            counts.addEvent(tgid * 7, 0, "");
            counts.addSlice(tgid * 7, 5);
        }
        counts.addEvent(21, 1, "slurm:1");
        assertThat(counts.size()).isEqualTo(ProcessCounts.PROCESSES_MAX);
        assertThat(counts.otherEvents()).isEqualTo(3);
        assertThat(counts.top(2))
                .containsExactly(
                        new ProcessCounts.Row(21, 2, 5, 1, 1, "slurm:1"), new ProcessCounts.Row(0, 1, 5, 1, 0, ""));
    }

    /** Of 90 another name may be among what was lost; of 91 there was no event since; the trace is sure of 92 and 93. */
    @Test
    void shouldLeaveOutNamesThatMayBeOfBeforeALoss() throws IOException {
        RecordWriter records = new RecordWriter();
        for (int process = 90; process <= 92; process++) {
            records.record(EventType.SCHED_PROCESS_EXEC, 0, process, process, process, at(process), process, 1)
                    .text(EventType.SCHED_PROCESS_EXEC, "comm", "told" + process);
        }
        records.record(EventType.LOST, 0, 0, 0, 0, at(1_000), 3, 1, 2)
                .record(EventType.UDP_SENDMSG, 0, 90, 90, 5, at(1_001), 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 92, 92, 5, at(1_002), 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 93, 93, 5, at(1_003), 1_400, 2, 17);
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, records);
            writer.name(Map.of(90, "", 92, "last92", 93, "saved93"));
        }
        assertThat(world.run("report", "--json", trace.toString())).isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .contains("\"tgid\": 90, \"name\": \"\"")
                .contains("\"tgid\": 91, \"name\": \"told91\"")
                .contains("\"tgid\": 92, \"name\": \"told92\"")
                .contains("\"tgid\": 93, \"name\": \"saved93\"");
    }
}
