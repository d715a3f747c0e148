// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import magnet.trace.TraceFixture;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The made-up module's subscriptions had 26 hits each, and lost 5 of them. */
@Timeout(60)
final class CountCommandTest extends WorldFixture {
    private static final long TIMER = 5_000;
    private static final long SECOND = 1_000_000_000;
    private static final int LINES_OF_INTERVAL = 5;

    private Fifo data;

    @BeforeEach
    void prepare() throws IOException {
        data = Fifo.create(world.data.resolve("cpu0"));
    }

    @AfterEach
    void closeFifo() throws IOException {
        data.close();
    }

    private static RecordWriter events() {
        return new RecordWriter()
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 10, 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 412, 412, 5, TIMER + 20, 10, 2, 17)
                .record(EventType.SCHED_SWITCH, 0, 99, 98, 77, TIMER + 30, 0x1, 412)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 6, TIMER + 40, 1_400, 10, 17)
                .record(EventType.SCHED_SWITCH, 0, 0, 0, 78, TIMER + 50, 0x8000_0000L, 412);
    }

    private void write() throws IOException {
        data.write(events().bytes());
    }

    private void writeUnchecked() {
        try {
            write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldCountAPoint() throws IOException {
        write();
        assertThat(world.run("count", "-p", "udp_sendmsg", "-n", "3")).isZero();
        assertThat(world.outLines()).containsExactly("3 events", "5 events lost: these figures are too low");
        assertThat(world.errLines())
                .endsWith(
                        "magnet: 3 events counted; of 26 hits 5 were lost",
                        "magnet: of the lost 5 found the buffer full (use more than --buffer-size 4M, fewer points,"
                                + " or a rule that drops what is not wanted)");
    }

    /** As read does. */
    @Test
    void shouldSayWhenItRanLongerThanWasAskedFor() throws IOException {
        // Each look at the clock takes 2 s.
        AtomicLong now = new AtomicLong();
        world.clock = () -> now.addAndGet(2_000_000_000L);
        assertThat(world.run("count", "-p", "udp_sendmsg", "-d", "1")).isZero();
        assertThat(world.errLines()).last().asString().contains("more than asked for", "switch 1 point on and off");
    }

    @Test
    void shouldSayHowMuchItCausedItself() throws IOException {
        int self = (int) ProcessHandle.current().pid();
        data.write(new RecordWriter()
                .record(EventType.UDP_SENDMSG, 0, self, self, 5, TIMER + 300, 1_400, 2, 17)
                .bytes());
        assertThat(world.run("count", "-p", "udp_sendmsg", "-n", "1")).isZero();
        assertThat(world.errLines())
                .last()
                .asString()
                .isEqualTo("magnet: 1 of the events came from this command itself: --not-self leaves them out, in the"
                        + " kernel");
    }

    /** A process that nobody told is of no known job; one that moves counts for each. */
    private void writeJobs() throws IOException {
        data.write(new RecordWriter()
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER, 1, 3, 39)
                .text(EventType.CGROUP_MKDIR, "path", "/system.slice/slurmstepd.scope/job_4711")
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 501, TIMER, 1, 1, 6)
                .text(EventType.CGROUP_MKDIR, "path", "/other")
                .record(EventType.TASK_ATTACH, 0, 10, 10, 99, TIMER, 500, 3)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 10, 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 20, 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 30, 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 412, 412, 6, TIMER + 40, 10, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 0, 0, 6, TIMER + 45, 10, 2, 17)
                .record(EventType.TASK_ATTACH, 0, 10, 10, 99, TIMER + 50, 501, 2)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 60, 7, 2, 17)
                .bytes());
    }

    @Test
    void shouldCountByJob() throws IOException {
        module.owning();
        writeJobs();
        assertThat(world.run("count", "-p", "udp_sendmsg", "by", "job", "-n", "6"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "JOB         COUNT   SHARE",
                        "slurm:4711      3   50.0%",
                        "none            2   33.3%",
                        "unknown         1   16.7%",
                        "total           6  100.0%",
                        "5 events lost: these figures are too low");
        assertThat(module.subscriptions())
                .as("cgroups before processes, and both before what is asked for")
                .containsExactly("cgroup_mkdir", "cgroup_rmdir", "task_attach", "udp_sendmsg");
        assertThat(world.errLines())
                .contains("magnet: 6 events counted; of 26 hits 5 were lost;"
                        + " 15 events that name threads or tell owners were lost");
    }

    @Test
    void shouldHaveHistogramsByJob() throws IOException {
        module.owning();
        writeJobs();
        assertThat(world.run("hist", "--json", "-p", "udp_sendmsg", "len", "by", "job", "-n", "6"))
                .isZero();
        assertThat(JsonParser.parseString(world.outLines().get(0))
                        .getAsJsonObject()
                        .getAsJsonArray("groups"))
                .extracting(group ->
                        group.getAsJsonObject().getAsJsonObject("by").get("job").getAsString() + " "
                                + group.getAsJsonObject().get("max").getAsLong())
                .containsExactlyInAnyOrder("slurm:4711 1400", "none 10", "unknown 10");
    }

    @Test
    void shouldAskForNoOwnersWhereNobodyGroupsByJob() throws IOException {
        module.owning();
        writeJobs();
        assertThat(world.run("count", "-p", "udp_sendmsg", "by", "process", "-n", "6"))
                .isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg");
    }

    @Test
    void shouldCountEachPointWhereThereAreSeveral() throws IOException {
        write();
        assertThat(world.run("count", "-p", "udp_sendmsg,sched_switch", "-n", "5"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "POINT         COUNT   SHARE",
                        "udp_sendmsg       3   60.0%",
                        "sched_switch      2   40.0%",
                        "total             5  100.0%",
                        "10 events lost: these figures are too low");
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch");
    }

    @Test
    void shouldCountAllPointsThatThereAreByDefault() throws IOException {
        write();
        assertThat(world.run("count", "-n", "5")).isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch", "half_there");
    }

    @Test
    void shouldCountByProcessAndWhatEventsHave() throws IOException {
        world.addProcess(99, "a\u001bb", "/bin/a");
        write();
        assertThat(world.run("count", "-p", "udp_sendmsg", "by", "process,family", "-n", "3"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "PROCESS      FAMILY  COUNT   SHARE",
                        "99 (a\\x1bb)  inet        1   33.3%",
                        "99 (a\\x1bb)  inet6       1   33.3%",
                        "412          inet        1   33.3%",
                        "total                    3  100.0%",
                        "5 events lost: these figures are too low");
    }

    @Test
    void shouldNameTheProcessesOfFields() throws IOException {
        world.addProcess(412, "sshd", "/usr/sbin/sshd");
        write();
        assertThat(world.run("count", "-p", "sched_switch", "by", "next_tgid,prev_state", "-n", "2", "--top", "1"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "NEXT_TGID   PREV_STATE  COUNT   SHARE",
                        "412 (sshd)  sleeping        1   50.0%",
                        "1 more                      1   50.0%",
                        "total                       2  100.0%",
                        "5 events lost: these figures are too low");
    }

    @Test
    void shouldCountOfOneProcess() throws IOException {
        write();
        assertThat(world.run("count", "-p", "udp_sendmsg", "by", "process", "--pid", "412", "-d", "0.5"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "PROCESS  COUNT   SHARE",
                        "412          1  100.0%",
                        "total        1  100.0%",
                        "5 events lost: these figures are too low");
        assertThat(module.lastRequest("SUB_NEW")).endsWith("RULES=drop if tgid != 412 FLAGS=0");
    }

    @Test
    void shouldCountByPortAndDeviceOfPackets() throws IOException {
        module.network();
        Path device = Files.createDirectories(folder.resolve("sys/class/net/eth0"));
        Files.writeString(device.resolve("ifindex"), "2\n");
        RecordWriter records = new RecordWriter();
        Packets.udp(records, EventType.UDP_RCV, 7, 0x0a00_0001, 53);
        Packets.udp(records, EventType.UDP_RCV, 7, 0x0a00_0001, 53);
        Packets.udp(records, EventType.UDP_RCV, 7, 0x0a00_0002, 123);
        data.write(records.bytes());
        assertThat(world.run("count", "-p", "udp_rcv", "by", "device,daddr,port,protocol", "-n", "3"))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "DEVICE  DADDR     PORT  PROTOCOL  COUNT   SHARE",
                        "eth0    10.0.0.1  53    udp           2   66.7%",
                        "eth0    10.0.0.2  123   udp           1   33.3%",
                        "total                                 3  100.0%",
                        "5 events lost: these figures are too low");
        assertThat(module.lastRequest("SUB_NEW")).contains("SNAP_LEN=128");
    }

    @Test
    void shouldNameTheReasonsOfDrops() throws IOException {
        module.network();
        data.write(new RecordWriter()
                .record(EventType.KFREE_SKB, 0, 1, 1, 0, TIMER, 7, 100, 2, 0, 0, 0, 3)
                .bytes());
        assertThat(world.run("count", "--json", "-p", "kfree_skb", "by", "reason", "-n", "1"))
                .isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .endsWith("\"by\": [\"reason\"], \"events\": 1, \"lost\": 5, \"groups\": [{\"by\": {\"reason\":"
                        + " \"NO_SOCKET\"}, \"count\": 1}]}");
    }

    /**
     * Counts senders, who send the same in each of two intervals. The command itself moves the clock, by asking: a second
     * ends after it began, and the next when it has shown the first.
     */
    private void countInTwoIntervals(String... more) {
        module.whenSubscribed(this::write);
        AtomicLong nanos = new AtomicLong();
        AtomicBoolean subscribing = new AtomicBoolean();
        world.clock = () -> {
            if (subscribing.compareAndSet(false, true)) {
                return 0;
            }
            if (nanos.get() == SECOND && world.outLines().size() >= LINES_OF_INTERVAL) {
                writeUnchecked();
                nanos.set(2 * SECOND);
            }
            return nanos.getAndUpdate(now -> Math.max(now, SECOND));
        };
        List<String> arguments =
                new ArrayList<>(List.of("count", "-p", "udp_sendmsg", "by", "family", "-i", "1", "-d", "2"));
        arguments.addAll(List.of(more));
        assertThat(world.run(arguments.toArray(String[]::new))).isZero();
        assertThat(world.errLines())
                .anyMatch(line -> line.startsWith("magnet: 6 events counted; of 26 hits 5 were lost"));
    }

    /** The last one has the rest of the losses. */
    @Test
    void shouldPrintEachIntervalForItself() {
        countInTwoIntervals();
        assertThat(world.outLines())
                .containsExactly(
                        "14:13:20  1.0 s  3 events",
                        "FAMILY  COUNT   SHARE",
                        "inet        2   66.7%",
                        "inet6       1   33.3%",
                        "total       3  100.0%",
                        "",
                        "14:13:20  1.0 s  3 events, 5 lost",
                        "FAMILY  COUNT   SHARE",
                        "inet        2   66.7%",
                        "inet6       1   33.3%",
                        "total       3  100.0%");
    }

    @Test
    void shouldPrintAllSinceTheStartInEachInterval() {
        countInTwoIntervals("--cumulative");
        assertThat(world.outLines())
                .endsWith(
                        "14:13:20  2.0 s  6 events, 5 lost",
                        "FAMILY  COUNT   SHARE",
                        "inet        4   66.7%",
                        "inet6       2   33.3%",
                        "total       6  100.0%");
    }

    @Test
    void shouldCutWhatIsLongerThanTheTerminal() throws IOException {
        world.screen = Optional.of(new TerminalSize(60, 20));
        RecordWriter records = new RecordWriter();
        String text = "a marker\n with a text that nobody reads to its end, as it is long";
        int start = records.header(112, 0, EventType.MARKER.id(), 7, 7, 0, TIMER);
        records.buffer().putInt(start + 32, text.length()).put(start + 40, text.getBytes(StandardCharsets.UTF_8));
        try (TraceWriter writer = TraceFixture.writer(folder.resolve("trace"), RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, records);
        }
        String trace = folder.resolve("trace").toString();
        assertThat(world.run("count", "--trace", trace, "-p", "marker", "by", "text"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TEXT                            COUNT   SHARE",
                        "a marker\\x0a with a text th...      1  100.0%",
                        "total                               1  100.0%");
    }

    @Test
    void shouldPrintWhatThereIsWhenTheUserInterrupts() throws IOException, InterruptedException {
        int[] exitCode = {-1};
        Thread command = new Thread(() -> exitCode[0] = world.run("count", "-p", "udp_sendmsg"));
        write();
        command.start();
        while (world.errLines().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(world.interruption.interrupt()).isTrue();
        command.join();
        assertThat(exitCode[0]).isZero();
        assertThat(world.outLines()).containsExactly("3 events", "5 events lost: these figures are too low");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldFailInOneLineWhenTheOutputCannotBeWritten() throws IOException {
        write();
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            world.outStream = full;
            assertThat(world.run("count", "-p", "udp_sendmsg", "-n", "1")).isEqualTo(1);
        }
        assertThat(world.errLines())
                .last()
                .isEqualTo("magnet: cannot write what was asked for: No space left on device");
    }

    private Path save() throws IOException {
        Path trace = folder.resolve("trace");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer,
                    0,
                    events().unknown(0x400, 0, TIMER + 60, 0xffff_fffe_0000_00c8L, 0x6f6f66, 0)
                            .unknown(0x400, 0, TIMER + 70, 0xffff_fffe_0000_00c8L, 0x6f6f66, 0)
                            .unknown(0x400, 0, TIMER + 80, 7, 0x726162, 0));
            writer.name(Map.of(99, "sleep"));
        }
        return trace;
    }

    @Test
    void shouldCountWhatASavedTraceHas() throws IOException {
        world.control = FakeModule::openWithout;
        String trace = save().toString();
        assertThat(world.run("count", "--trace", trace)).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "POINT         COUNT   SHARE",
                        "udp_sendmsg       3   37.5%",
                        "f_open            3   37.5%",
                        "sched_switch      2   25.0%",
                        "total             8  100.0%");
        assertThat(world.errLines()).containsExactly("magnet: 8 events counted");
    }

    @Test
    void shouldCountByTextsAndNamesOfASavedTrace() throws IOException {
        world.control = FakeModule::openWithout;
        String trace = save().toString();
        assertThat(world.run("count", "--trace", trace, "-p", "f_open", "by", "name,small"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "NAME   SMALL  COUNT   SHARE",
                        "foo    200        2   66.7%",
                        "bar    7          1   33.3%",
                        "total             3  100.0%");
        world.out.reset();
        assertThat(world.run("count", "--json", "--trace", trace, "by", "process", "-p", "udp_sendmsg"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly("{\"points\": [\"udp_sendmsg\"], \"by\": [\"process\"], \"events\": 3, \"lost\": 0,"
                        + " \"groups\": [{\"by\": {\"process\": 99}, \"names\": {\"process\": \"sleep\"},"
                        + " \"count\": 2}, {\"by\": {\"process\": 412}, \"count\": 1}]}");
    }

    @Test
    void shouldSayInJsonWhatIsNotShown() throws IOException {
        world.control = FakeModule::openWithout;
        String trace = save().toString();
        assertThat(world.run("count", "--json", "--top", "1", "--trace", trace, "by", "process", "-p", "udp_sendmsg"))
                .isZero();
        assertThat(world.run("count", "--json", "--trace", trace, "by", "process", "-p", "marker"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "{\"points\": [\"udp_sendmsg\"], \"by\": [\"process\"], \"events\": 3, \"lost\": 0,"
                                + " \"events_of_other_groups\": 1, \"groups\": [{\"by\": {\"process\": 99},"
                                + " \"names\": {\"process\": \"sleep\"}, \"count\": 2}]}",
                        "{\"points\": [\"marker\"], \"by\": [\"process\"], \"events\": 0, \"lost\": 0, \"groups\":"
                                + " []}");
    }

    private String saveWithWords() throws IOException {
        Path trace = folder.resolve("words");
        RecordWriter records = new RecordWriter()
                .record(EventType.SYS_ENTER, 0, 1, 1, 1, TIMER)
                .record(EventType.SYS_ENTER, 0, 1, 1, 4, TIMER + 1, 0, 0, 0, 1)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 1, 1, 7, TIMER + 2, 8, 8 << 20, 4_096, 9)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 1, 1, 8, TIMER + 3, 8, 8 << 20, 4_096, 77)
                .record(EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN, 0, 1, 1, 0, TIMER + 4, 0, 0x40cc0)
                .record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, TIMER + 5)
                .record(EventType.KFREE_SKB, 0, 1, 1, 0, TIMER + 6, 7, 100, 2, 0x800, 0, 0, 3)
                .record(EventType.KFREE_SKB, 0, 1, 1, 0, TIMER + 7, 7, 100, 2, 0x9999, 0, 0, 3);
        try (TraceWriter writer = new TraceWriter(
                trace, TraceFixture.origin(RecordLayout.WIDE), () -> TraceFixture.formatWithWords(RecordLayout.WIDE))) {
            TraceFixture.write(writer, 0, records);
        }
        return trace.toString();
    }

    /** As magnet read has them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "sys_enter ; nr ; nr=write/1 nr=write/1 ; nr=1/1 nr=4/1",
                "block_rq_complete ; op ; op=WRITE_ZEROES/1 op=77/1 ; op=9/1 op=77/1",
                "mm_vmscan_direct_reclaim_begin ; gfp_flags ; gfp_flags=GFP_KERNEL|__GFP_COMP/1 ; gfp_flags=0x40cc0/1",
                "softirq_entry ; vector ; vector=NET_RX/1 ; vector=3/1",
                "softirq_entry ; abstract_id ; abstract_id=3/1 ; abstract_id=3/1",
                "kfree_skb ; reason,ethertype ; reason=NO_SOCKET,ethertype=ipv4/1 reason=NO_SOCKET,ethertype=0x9999/1"
                        + " ; reason=3,ethertype=0x800/1 reason=3,ethertype=0x9999/1",
            })
    void shouldPrintWordsForNumbers(String point, String by, String words, String numbers) throws IOException {
        world.control = FakeModule::openWithout;
        String trace = saveWithWords();
        for (boolean raw : new boolean[] {false, true}) {
            world.out.reset();
            String json = "count --json --trace " + trace + " -p " + point + " by " + by + (raw ? " --raw" : "");
            assertThat(world.run(json.split(" ", -1)))
                    .as("%s", world.errLines())
                    .isZero();
            List<String> groups = new ArrayList<>();
            JsonParser.parseString(world.outLines().get(0))
                    .getAsJsonObject()
                    .getAsJsonArray("groups")
                    .forEach(each -> groups.add(group(each.getAsJsonObject())));
            assertThat(groups).containsExactlyInAnyOrder((raw ? numbers : words).split(" ", -1));
        }
    }

    private static String group(JsonObject group) {
        return group.getAsJsonObject("by").entrySet().stream()
                        .map(key -> key.getKey() + "=" + key.getValue().getAsString())
                        .collect(Collectors.joining(","))
                + "/" + group.get("count").getAsLong();
    }

    /** A dynamic point may call its fields as it likes. */
    @Test
    void shouldKeepKeysOfAnyNameInJson() throws IOException {
        world.control = FakeModule::openWithout;
        Path trace = folder.resolve("named");
        List<String> format = TraceFixture.format(RecordLayout.WIDE);
        format.add("event 0x402 p_write dynamic size 56 abstract_id none fields count:u64@32 min:u64@40"
                + " process_name:u64@48");
        try (TraceWriter writer = new TraceWriter(trace, TraceFixture.origin(RecordLayout.WIDE), () -> format)) {
            TraceFixture.write(writer, 0, new RecordWriter().unknown(0x402, 0, TIMER, 100, 200, 300));
            writer.name(Map.of(1, "init"));
        }
        assertThat(world.run(
                        "count",
                        "--json",
                        "--trace",
                        trace.toString(),
                        "-p",
                        "p_write",
                        "by",
                        "count,min,process,process_name"))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .endsWith("\"groups\": [{\"by\": {\"count\": 100, \"min\": 200, \"process\": 1, \"process_name\":"
                        + " 300}, \"names\": {\"process\": \"init\"}, \"count\": 1}]}");
    }

    /** What is behind is not read: its bytes are no records, and nobody says so. */
    @Test
    void shouldReadNoMoreOfATraceThanItCounts() throws IOException {
        world.control = FakeModule::openWithout;
        Path trace = save();
        Files.write(trace.resolve("cpu0"), "no packet".repeat(1_000).getBytes(StandardCharsets.UTF_8), APPEND);
        assertThat(world.run("count", "--trace", trace.toString(), "-p", "udp_sendmsg", "-n", "2"))
                .isZero();
        assertThat(world.outLines()).containsExactly("2 events");
        assertThat(world.errLines()).containsExactly("magnet: 2 events counted");
        world.run("count", "--trace", trace.toString(), "-p", "udp_sendmsg", "-n", "4");
        assertThat(world.errLines()).last().asString().contains("malformed records or packets in");
    }

    @Test
    void shouldRefuseAKeyThatOneOfThePointsLacks() {
        module.network();
        assertThat(world.run("count", "-p", "udp_rcv,udp_sendmsg", "by", "protocol,saddr"))
                .isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().startsWith("magnet: udp_sendmsg has no field saddr");
        assertThat(world.outLines()).isEmpty();
    }
}
