// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.WordKind;
import magnet.trace.TraceFixture;
import magnet.trace.TraceReader;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 2,500 ticks of the made-up traces are a microsecond; their CLOCK record says that CLOCK_MONOTONIC is {@link #MONO} at its beginning. */
final class PerfettoTraceTest {
    private static final long MICROSECOND = 2_500;
    private static final long MONO = 7_000_000_000L;
    private static final long REAL = 1_790_000_000_000_000_000L;
    // Numbers of kernel events in Perfetto's ftrace_event.proto.
    private static final int SWITCH = 4;
    private static final int WAKING = 20;
    private static final int SOFTIRQ_ENTRY = 24;
    private static final int SOFTIRQ_EXIT = 25;
    private static final int IRQ_ENTRY = 36;
    private static final int IRQ_EXIT = 37;
    private static final int RECLAIM_BEGIN = 46;
    private static final int RECLAIM_END = 47;
    private static final int NEWTASK = 235;
    private static final int SYS_ENTER = 329;
    private static final int SYS_EXIT = 330;

    @TempDir
    private Path folder;

    private RecordWriter records;
    private RecordLayout layout = RecordLayout.WIDE;

    @BeforeEach
    void beginRecords() {
        records = new RecordWriter().record(EventType.CLOCK, 0, 0, 0, 0, TIMER, REAL, MONO);
    }

    private static long at(long micros) {
        return TIMER + micros * MICROSECOND;
    }

    /** The same in the export. */
    private static long ns(long micros) {
        return MONO + micros * 1_000;
    }

    private IntFunction<String> owners = process -> "";

    private Shown export() throws IOException {
        return export(Map.of());
    }

    private Shown export(Map<Integer, String> names) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder.resolve("trace"), layout)) {
            TraceFixture.write(writer, 0, records);
            writer.name(names);
        }
        return show(Map.of());
    }

    private Shown show(Map<Integer, String> callsOf32Bits) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TraceReader trace = TraceReader.open(folder.resolve("trace"))) {
            PerfettoTrace perfetto = new PerfettoTrace(
                    trace, trace.words().with(WordKind.COMPAT_SYSTEM_CALL, callsOf32Bits), owners, out);
            trace.read(perfetto);
            assertThat(trace.defects()).isEmpty();
            perfetto.finish();
        }
        return new Shown(out.toByteArray());
    }

    @Test
    void shouldShowWhoRanAndWhatWokeThem() throws IOException {
        records.record(EventType.SCHED_WAKEUP, 0, 70, 71, 81, at(10), 1, 80)
                .record(EventType.SCHED_SWITCH, 0, 70, 71, 81, at(30), 1, 80)
                .record(EventType.SCHED_SWITCH, 0, 80, 81, 0, at(50), 0x80, 0);
        Shown shown = export(Map.of(80, "a", 70, "b"));

        assertThat(shown.kernel(WAKING)).singleElement().satisfies(event -> {
            assertThat(event.ns()).isEqualTo(ns(10));
            assertThat(event.tid()).isEqualTo(71);
            assertThat(event.fields().number(2)).isEqualTo(81);
            assertThat(event.fields().number(5)).isEqualTo(1);
        });
        assertThat(shown.kernel(SWITCH))
                .extracting(
                        Shown.Kernel::cpu,
                        Shown.Kernel::ns,
                        event -> event.fields().number(2),
                        event -> event.fields().number(4),
                        event -> event.fields().number(6))
                .containsExactly(tuple(0, ns(30), 71L, 1L, 81L), tuple(0, ns(50), 81L, 0x10L, 0L));
        assertThat(shown.threads).containsEntry(71L, 70L).containsEntry(81L, 80L);
        assertThat(shown.processes).containsEntry(70L, "b").containsEntry(80L, "a");
        assertThat(shown.values).contains(new Shown.Value("longest run-queue wait, CPU 0", ns(10), 20_000));
    }

    @Test
    void shouldLabelProcessesWithTheirOwnersAndSayWhereTheyGo() throws IOException {
        List<String> later = new ArrayList<>(List.of("slurm:1", "slurm:1", "", "slurm:1", "/other\u0001"));
        owners = process -> process == 70 ? later.remove(0) : "";
        records.record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(10), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(20), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 80, 80, 5, at(25), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(30), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(40), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(50), 100, 2, 17);
        Shown shown = export();

        assertThat(shown.labels).containsExactly("70 slurm:1", "70 /other\ufffd");
        assertThat(shown.instants)
                .filteredOn(instant -> instant.name().equals("moved"))
                .singleElement()
                .satisfies(instant -> {
                    assertThat(instant.track()).isEqualTo("thread 70 of 70");
                    assertThat(instant.ns()).isEqualTo(ns(50));
                    assertThat(instant.notes()).isEqualTo(Map.of("owner", "/other\ufffd"));
                });
    }

    /** Nobody could have asked /proc about it. */
    @Test
    void shouldNameAShortLifeFromTheRecordsThatNameItOn() throws IOException {
        records.record(EventType.SCHED_PROCESS_FORK, 0, 70, 70, 91, at(10), 91, 70)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "shell")
                .record(EventType.SCHED_SWITCH, 0, 70, 70, 91, at(20), 0, 91)
                .record(EventType.SCHED_PROCESS_EXEC, 0, 91, 91, 91, at(30), 91, 70)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short")
                .record(EventType.SCHED_PROCESS_EXIT, 0, 91, 91, 91, at(40), 0, 1, 70)
                .text(EventType.SCHED_PROCESS_EXIT, "comm", "short")
                .record(EventType.SCHED_SWITCH, 0, 91, 91, 70, at(50), 0x80, 70);
        Shown shown = export();

        assertThat(shown.kernel(SWITCH))
                .extracting(
                        event -> event.fields().text(1), event -> event.fields().text(5))
                .containsExactly(tuple("shell", "shell"), tuple("short", "shell"));
        assertThat(shown.processes).containsEntry(91L, "short").containsEntry(70L, "shell");
    }

    /** Who ran when the machine fell asleep did not run for all that time, and what comes later stands by CLOCK_MONOTONIC. */
    @Test
    void shouldGoOnWithTheClockWhereTheTimerBeganAnew() throws IOException {
        long woke = MONO + 5_000_000;
        records.record(EventType.SCHED_SWITCH, 0, 70, 71, 81, at(30), 1, 80)
                .record(EventType.SCHED_SWITCH, 0, 80, 81, 71, at(40), 1, 70)
                .record(EventType.CLOCK, 0, 0, 0, 0, 9, REAL, woke, 1)
                .record(EventType.SCHED_SWITCH, 0, 80, 81, 0, 9 + 20 * MICROSECOND, 1, 0)
                .record(EventType.SCHED_SWITCH, 0, 0, 0, 81, 9 + 30 * MICROSECOND, 0, 80);
        Shown shown = export();

        assertThat(shown.kernel(SWITCH))
                .extracting(
                        Shown.Kernel::ns,
                        event -> event.fields().number(2),
                        event -> event.fields().number(6))
                .containsExactly(
                        tuple(ns(30), 71L, 81L),
                        tuple(ns(40), 81L, 71L),
                        tuple(ns(40), 71L, 0L),
                        tuple(woke, 0L, 81L),
                        tuple(woke + 20_000, 81L, 0L),
                        tuple(woke + 30_000, 0L, 81L));
    }

    /** As a kernel of unknown version would give them, which is how Perfetto reads them. */
    @Test
    void shouldShowStatesAsPerfettoKnowsThem() throws IOException {
        long[] states = {0, 0x8000_0000L, 1, 2, 0x402, 0x102, 4, 0x40, 0x80, 0x1000, 0x2001};
        for (int i = 0; i < states.length; i++) {
            records.record(EventType.SCHED_SWITCH, 0, 80, 81, 81, at(i), states[i], 80);
        }
        assertThat(export().kernel(SWITCH))
                .extracting(event -> event.fields().number(4))
                .containsExactly(0L, 0x800L, 1L, 2L, 0x402L, 2L, 4L, 0x200L, 0x10L, 2L, 1L);
    }

    @Test
    void shouldShowNewThreads() throws IOException {
        records.record(EventType.SCHED_PROCESS_FORK, 0, 70, 71, 90, at(1), 90)
                .record(EventType.SCHED_PROCESS_FORK, 0, 70, 71, 91, at(2), 70);
        assertThat(export().kernel(NEWTASK))
                .extracting(
                        event -> event.fields().number(1),
                        event -> event.fields().number(3))
                .containsExactly(tuple(90L, 0L), tuple(91L, 0x10000L));
    }

    @Test
    void shouldShowCallsAndInterruptsThatHaveBothEnds() throws IOException {
        records.record(EventType.SYS_EXIT, 0, 70, 71, 3, at(1), 0)
                .record(EventType.SYS_ENTER, 0, 70, 71, 1, at(10), 5, 6, 7)
                .record(EventType.IRQ_HANDLER_ENTRY, 0, 70, 71, 24, at(11))
                .record(EventType.IRQ_HANDLER_EXIT, 0, 70, 71, 24, at(12), 1)
                .record(EventType.SOFTIRQ_ENTRY, 0, 70, 71, 3, at(13))
                .record(EventType.SOFTIRQ_EXIT, 0, 70, 71, 3, at(14))
                .record(EventType.SOFTIRQ_EXIT, 0, 70, 71, 4, at(15))
                .record(EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN, 0, 70, 71, 0, at(16), 2, 3)
                .record(EventType.MM_VMSCAN_DIRECT_RECLAIM_END, 0, 70, 71, 0, at(17), 32)
                .record(EventType.MAJOR_FAULT, 0, 70, 71, 0, at(18), 500)
                .record(EventType.SYS_EXIT, 0, 70, 71, 1, at(20), -5)
                .record(EventType.SYS_ENTER, 0, 70, 72, 4, at(25), 0, 0, 0, 1)
                .record(EventType.SYS_EXIT, 0, 70, 72, 4, at(26), 0, 1)
                .record(EventType.SYS_ENTER, 0, 70, 71, 60, at(30))
                .record(EventType.SCHED_PROCESS_EXIT, 0, 70, 71, 71, at(31))
                .record(EventType.SYS_ENTER, 0, 70, 72, 202, at(40));
        Shown shown = export();

        assertThat(shown.kernel(SYS_ENTER))
                .extracting(
                        Shown.Kernel::tid,
                        Shown.Kernel::ns,
                        event -> event.fields().number(1))
                .containsExactly(tuple(71L, ns(10), 1L), tuple(71L, ns(30), 60L), tuple(72L, ns(40), 202L));
        assertThat(shown.kernel(SYS_ENTER).get(0).fields().numbers(2)).containsExactly(5L, 6L, 7L);
        assertThat(shown.kernel(SYS_EXIT))
                .extracting(
                        Shown.Kernel::tid,
                        Shown.Kernel::ns,
                        event -> event.fields().number(2))
                .containsExactly(tuple(71L, ns(20), -5L), tuple(71L, ns(31), 0L));
        assertThat(shown.kernel(IRQ_ENTRY))
                .extracting(
                        Shown.Kernel::ns,
                        event -> event.fields().number(1),
                        event -> event.fields().text(2))
                .containsExactly(tuple(ns(11), 24L, "24"));
        assertThat(shown.kernel(IRQ_EXIT)).extracting(Shown.Kernel::ns).containsExactly(ns(12));
        assertThat(shown.kernel(SOFTIRQ_ENTRY))
                .extracting(Shown.Kernel::ns, event -> event.fields().number(1))
                .containsExactly(tuple(ns(13), 3L));
        assertThat(shown.kernel(SOFTIRQ_EXIT)).extracting(Shown.Kernel::ns).containsExactly(ns(14));
        assertThat(shown.kernel(RECLAIM_BEGIN)).extracting(Shown.Kernel::ns).containsExactly(ns(16));
        assertThat(shown.kernel(RECLAIM_END))
                .extracting(Shown.Kernel::ns, event -> event.fields().number(1))
                .containsExactly(tuple(ns(17), 32L));
        assertThat(shown.slices)
                .extracting(Shown.Slice::track, Shown.Slice::name, Shown.Slice::begin, Shown.Slice::end)
                .containsExactly(
                        tuple("thread 71 of 70", "major fault", ns(18) - 200, ns(18)),
                        tuple("thread 72 of 70", "32-bit system call", ns(25), ns(26)));
    }

    /** In the words of the kernel and the machine that the trace is of. */
    @Test
    void shouldNameWhatTheTraceHasWordsFor() throws IOException {
        long disk = 8L << 20;
        records.record(EventType.SYS_ENTER, 0, 70, 72, 4, at(25), 0, 0, 0, 1)
                .record(EventType.SYS_EXIT, 0, 70, 72, 4, at(26), 0, 1)
                .record(EventType.BLOCK_RQ_ISSUE, 0, 70, 71, 1, at(27), 8, disk, 4_096, 9)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 70, 71, 1, at(28), 8, disk, 4_096, 9);
        try (TraceWriter writer = new TraceWriter(
                folder.resolve("trace"), TraceFixture.origin(layout), () -> TraceFixture.formatWithWords(layout))) {
            TraceFixture.write(writer, 0, records);
        }
        Shown shown = show(Map.of(4, "write"));
        assertThat(shown.slices)
                .extracting(Shown.Slice::track, Shown.Slice::name)
                .containsExactlyInAnyOrder(
                        tuple("thread 72 of 70", "write (32-bit)"), tuple("device 8:0", "write_zeroes"));
    }

    /** A datagram from a program over the loopback device to another program, with all points on its way. */
    @Test
    void shouldShowAJourneyAsAFlow() throws IOException {
        records.record(EventType.INET_SENDMSG, 0, 70, 71, 5, at(1), 100, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 70, 71, 5, at(2), 100, 2, 17)
                .record(EventType.IP_SEND_SKB, 0, 70, 71, 5, at(3), 0xabc, 128)
                .record(EventType.DEV_QUEUE_XMIT, 0, 70, 71, 5, at(4), 0xabc, 128, 1)
                .record(EventType.NET_DEV_START_XMIT, 0, 70, 71, 5, at(5), 0xabc, 142, 1)
                .record(EventType.NET_DEV_RECEIVE, 0, 70, 71, 0, at(6), 0xabc, 142, 1)
                .record(EventType.NET_DEV_XMIT, 0, 70, 71, 0, at(7), 0xabc, 142, 1)
                .record(EventType.NETIF_RECEIVE_SKB, 0, 70, 71, 0, at(8), 0xabc, 128, 1)
                .record(EventType.IP_LOCAL_DELIVER, 0, 70, 71, 0, at(9), 0xabc, 128, 1)
                .record(EventType.UDP_RCV, 0, 70, 71, 0, at(10), 0xabc, 108, 1)
                .record(EventType.UDP_ENQUEUE, 0, 70, 71, 6, at(11), 0xabc, 100, 1)
                .record(EventType.SKB_CONSUME_UDP, 0, 80, 81, 6, at(15), 0xabc, 100, 1);
        Shown shown = export();

        assertThat(shown.slices)
                .extracting(Shown.Slice::name, Shown.Slice::begin, Shown.Slice::end)
                .containsExactly(
                        tuple("socket", ns(1), ns(2)),
                        tuple("UDP and TCP, out", ns(2), ns(3)),
                        tuple("IP, out", ns(3), ns(4)),
                        tuple("device queue", ns(4), ns(5)),
                        tuple("driver", ns(5), ns(6)),
                        tuple("receive queue", ns(6), ns(8)),
                        tuple("device, in", ns(8), ns(9)),
                        tuple("IP, in", ns(9), ns(10)),
                        tuple("UDP and TCP, in", ns(10), ns(11)),
                        tuple("socket queue", ns(11), ns(15)));
        assertThat(shown.slices).extracting(Shown.Slice::flows).containsOnly(List.of(1L));
        assertThat(shown.slices).allMatch(slice -> slice.track().equals(slice.name()));
        assertThat(shown.instants)
                .containsExactly(new Shown.Instant(
                        "end",
                        "received by program",
                        ns(15),
                        List.of(1L),
                        Map.of("bytes", 100L, "cpu", 0L, "thread", 81L, "socket", 6L)));
    }

    /** The kernel gives the buffer of a packet that it has sent to one that comes: its id is the same. */
    @Test
    void shouldNotTakeAReusedBufferForTheSamePacket() throws IOException {
        records.record(EventType.DEV_QUEUE_XMIT, 0, 70, 71, 5, at(1), 0xabc, 128, 2)
                .record(EventType.NET_DEV_START_XMIT, 0, 70, 71, 5, at(2), 0xabc, 142, 2)
                .record(EventType.NETIF_RECEIVE_SKB, 0, 0, 0, 0, at(3), 0xabc, 60, 2)
                .record(EventType.IP_LOCAL_DELIVER, 0, 0, 0, 0, at(4), 0xabc, 60, 2)
                .record(EventType.DEV_QUEUE_XMIT, 0, 70, 71, 5, at(5), 0xabc, 128, 2)
                .record(EventType.KFREE_SKB, 0, 70, 71, 0, at(6), 0xabc, 128, 2, 0, 0, 0, 3)
                .record(EventType.KFREE_SKB, 0, 70, 71, 0, at(7), 0xdef, 128, 2, 0, 0, 0, 77);
        Shown shown = export();

        assertThat(shown.slices)
                .extracting(Shown.Slice::name, Shown.Slice::begin, Shown.Slice::end)
                .containsExactly(
                        tuple("device queue", ns(1), ns(2)),
                        tuple("device, in", ns(3), ns(4)),
                        tuple("device queue", ns(5), ns(6)));
        assertThat(shown.slices).extracting(Shown.Slice::flows).doesNotHaveDuplicates();
        assertThat(shown.instants)
                .extracting(Shown.Instant::name, Shown.Instant::ended)
                .containsExactly(
                        tuple("dropped: NO_SOCKET", shown.slices.get(2).flows()), tuple("dropped: 77", List.of()));
    }

    /** Two packets at the same hop at once get tracks of their own, of one name. */
    @Test
    void shouldNeverOverlapSlicesOnATrack() throws IOException {
        for (int packet = 1; packet <= 3; packet++) {
            records.record(EventType.UDP_ENQUEUE, 0, 0, 0, 6, at(packet), packet, 100, 2);
        }
        for (int packet = 1; packet <= 3; packet++) {
            records.record(EventType.SKB_CONSUME_UDP, 0, 80, 81, 6, at(10L * packet), packet, 100, 2);
        }
        records.record(EventType.UDP_ENQUEUE, 0, 0, 0, 6, at(31), 4, 100, 2)
                .record(EventType.SKB_CONSUME_UDP, 0, 80, 81, 6, at(32), 4, 100, 2);
        Shown shown = export();

        assertThat(shown.slices("socket queue")).hasSize(4);
        Map<Long, Long> byTrack =
                shown.slices.stream().collect(Collectors.groupingBy(Shown.Slice::uuid, Collectors.counting()));
        assertThat(byTrack.values()).containsExactlyInAnyOrder(2L, 1L, 1L);
    }

    @Test
    void shouldShowBlockRequestsAndHowManyThereAre() throws IOException {
        long disk = 8L << 20;
        records.record(EventType.BLOCK_RQ_ISSUE, 0, 70, 71, 1, at(1), 2_048, disk, 8_192, 0)
                .record(EventType.BLOCK_RQ_ISSUE, 0, 70, 71, 2, at(2), 4_096, disk, 512, 1)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 0, 0, 1, at(3), 2_048, disk, 4_096, 0)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 0, 0, 2, at(4), 4_096, disk, 512, 1, 5)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 0, 0, 1, at(5), 2_056, disk, 4_096, 0)
                .record(EventType.BLOCK_RQ_COMPLETE, 0, 0, 0, 9, at(6), 2_056, disk, 4_096, 0);
        Shown shown = export();

        assertThat(shown.slices("device 8:0"))
                .extracting(Shown.Slice::name, Shown.Slice::begin, Shown.Slice::end, Shown.Slice::notes)
                .containsExactly(
                        tuple("write", ns(2), ns(4), Map.of("bytes", 512L, "sector", 4_096L, "errno", 5L)),
                        tuple("read", ns(1), ns(5), Map.of("bytes", 8_192L, "sector", 2_048L)));
        assertThat(shown.values.stream().filter(value -> value.track().equals("requests in device 8:0")))
                .extracting(Shown.Value::value)
                .containsExactly(1L, 2L, 1L, 0L);
    }

    @Test
    void shouldLeaveOutNamesThatMayBeOfBeforeALoss() throws IOException {
        records.record(EventType.SCHED_PROCESS_EXEC, 0, 91, 91, 91, at(10), 91, 70)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short")
                .record(EventType.SCHED_SWITCH, 0, 91, 91, 70, at(20), 0, 70)
                .record(EventType.LOST, 0, 0, 0, 0, at(40), 9, at(30), at(35))
                .record(EventType.SCHED_SWITCH, 0, 70, 70, 91, at(50), 0, 91);
        Shown shown = export(Map.of(70, "sure", 91, ""));

        assertThat(shown.kernel(SWITCH))
                .extracting(
                        event -> event.fields().number(2),
                                event -> event.fields().text(1),
                        event -> event.fields().number(6),
                                event -> event.fields().text(5))
                .containsExactly(
                        tuple(91L, "short", 70L, "sure"),
                        tuple(70L, "sure", 0L, "swapper"),
                        tuple(0L, "swapper", 70L, "sure"),
                        tuple(70L, "sure", 91L, ""));
    }

    @Test
    void shouldShowWhereEventsWereLostAndNothingThatSpansIt() throws IOException {
        records.record(EventType.SCHED_SWITCH, 0, 0, 0, 81, at(1), 0, 80)
                .record(EventType.SYS_ENTER, 0, 80, 81, 1, at(2))
                .record(EventType.IRQ_HANDLER_ENTRY, 0, 80, 81, 24, at(3))
                .record(EventType.UDP_ENQUEUE, 0, 80, 81, 6, at(4), 0xabc, 100, 2)
                .record(EventType.LOST, 0, 0, 0, 0, at(20), 9, at(10), at(15))
                .record(EventType.IRQ_HANDLER_EXIT, 0, 80, 81, 24, at(21), 1)
                .record(EventType.SKB_CONSUME_UDP, 0, 80, 81, 6, at(22), 0xabc, 100, 2)
                .record(EventType.SYS_EXIT, 0, 80, 81, 1, at(23), 0)
                .record(EventType.SCHED_SWITCH, 0, 90, 91, 0, at(30), 1, 0)
                .record(EventType.STORM, 0, 0, 0, EventType.PAGE_FAULT_USER.id(), at(40), 4, at(35), at(35));
        Shown shown = export();

        assertThat(shown.slices)
                .containsExactly(new Shown.Slice(
                        "lost events, CPU 0",
                        shown.slices.get(0).uuid(),
                        "lost events",
                        ns(10),
                        ns(15),
                        List.of(),
                        Map.of("count", 9L)));
        assertThat(shown.instants)
                .extracting(Shown.Instant::track, Shown.Instant::name, Shown.Instant::ns, Shown.Instant::notes)
                .containsExactly(tuple("lost events, CPU 0", "refused: page_fault_user", ns(35), Map.of("count", 4L)));
        assertThat(shown.lossy).containsExactly(0);
        assertThat(shown.kernel)
                .extracting(
                        Shown.Kernel::kind,
                        Shown.Kernel::ns,
                        event -> event.fields().number(2),
                        event -> event.fields().number(6))
                .containsExactly(
                        tuple(SWITCH, ns(1), 0L, 81L),
                        tuple(SWITCH, ns(10), 81L, 0L),
                        tuple(SWITCH, ns(15), 0L, 91L),
                        tuple(SWITCH, ns(30), 91L, 0L));
    }

    @Test
    void shouldShowMarkersAndTheTimeBetweenThem() throws IOException {
        marker(1, 7, "7 begin\n");
        marker(5, 7, "7 end");
        marker(6, 0, "\u00e4\u001b[31m");
        int bad = marker(7, 0, "xy");
        records.buffer().put(bad, (byte) 0xff);
        Shown shown = export();

        assertThat(shown.instants)
                .extracting(Shown.Instant::track, Shown.Instant::name, Shown.Instant::ns)
                .containsExactly(
                        tuple("thread 71 of 70", "7 begin\ufffd", ns(1)),
                        tuple("thread 71 of 70", "7 end", ns(5)),
                        tuple("thread 71 of 70", "\u00e4\ufffd[31m", ns(6)),
                        tuple("thread 71 of 70", "\ufffdy", ns(7)));
        assertThat(shown.slices)
                .extracting(Shown.Slice::track, Shown.Slice::begin, Shown.Slice::end)
                .containsExactly(tuple("marker 7", ns(1), ns(5)));
    }

    /** Returns where its text begins. */
    private int marker(long micros, long number, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int fixed = layout.headerSize() + EventType.MARKER.payload().size();
        int start = records.header(
                (fixed + bytes.length + 7) / 8 * 8, 0, EventType.MARKER.id(), 70, 71, number, at(micros));
        records.buffer().putInt(start + layout.headerSize(), bytes.length).put(start + fixed, bytes);
        return start + fixed;
    }

    @Test
    void shouldShowEventsOfDynamicPointsWithTheirFields() throws IOException {
        int start = records.header(layout.headerSize() + 24, 0, layout.firstDynamicEvent(), 70, 71, 0, at(3));
        int payload = start + layout.headerSize();
        records.buffer().put(payload, (byte) 200).putInt(payload + 4, -3);
        records.buffer().put(payload + 8, "a\u0000b".getBytes(StandardCharsets.UTF_8));
        assertThat(export().instants)
                .containsExactly(new Shown.Instant(
                        "thread 71 of 70",
                        "f_open",
                        ns(3),
                        List.of(),
                        Map.of("cpu", 0L, "small", 200L, "ret", -3L, "name", "a")));
    }

    /** Three tenths of a second, and a pause. */
    @Test
    void shouldCountEventsThatAddUp() throws IOException {
        long[] micros = {0, 10, 99_999, 100_000, 150_000, 1_000_000};
        for (long each : micros) {
            records.record(EventType.NETIF_RECEIVE_SKB, 0, 70, 71, 0, at(each), each, 60, 2);
        }
        Shown shown = export();

        List<Shown.Value> rates = shown.values.stream()
                .filter(value -> value.track().equals("packets/s from devices"))
                .toList();
        assertThat(rates)
                .extracting(Shown.Value::ns, Shown.Value::value)
                .containsExactly(
                        tuple(ns(0), 30L), tuple(ns(100_000), 20L), tuple(ns(200_000), 0L), tuple(ns(1_000_000), 10L));
        assertThat(shown.values.stream()
                        .filter(value -> value.track().equals("events/s, CPU 0"))
                        .mapToLong(Shown.Value::value)
                        .sum())
                .isEqualTo(10L * micros.length);
    }

    @Test
    void shouldTieTheClocksTogether() throws IOException {
        long second = 1_000_000;
        records.record(EventType.CLOCK, 0, 0, 0, 0, at(second / 2), 1, 1)
                .record(EventType.CLOCK, 0, 0, 0, 0, at(10 * second), REAL + 10_000_000_300L, MONO + 10_000_000_200L);
        Shown shown = export();

        assertThat(shown.clocks).hasSize(2);
        assertThat(clocks(shown.clocks.get(0))).isEqualTo(Map.of(6L, MONO, 3L, MONO, 1L, REAL));
        assertThat(clocks(shown.clocks.get(1)))
                .isEqualTo(Map.of(6L, ns(10 * second), 3L, MONO + 10_000_000_200L, 1L, REAL + 10_000_000_300L));
        assertThat(shown.clocks).allMatch(snapshot -> snapshot.number(2) == 6);
    }

    /** A part of a trace whose beginning is gone: the timer is the clock, and the trace says what time that was. */
    @Test
    void shouldExportATraceWithoutAClockRecord() throws IOException {
        records = new RecordWriter().record(EventType.SCHED_SWITCH, 0, 70, 71, 81, at(30), 1, 80);
        Shown shown = export();

        assertThat(shown.kernel(SWITCH)).extracting(Shown.Kernel::ns).containsExactly(at(30) * 1_000 / MICROSECOND);
        assertThat(clocks(shown.clocks.get(0))).isEqualTo(Map.of(6L, at(30) * 1_000 / MICROSECOND, 1L, REAL + 30_000));
    }

    private static Map<Long, Long> clocks(Decoded snapshot) {
        return snapshot.all(1).stream().collect(Collectors.toMap(clock -> clock.number(1), clock -> clock.number(2)));
    }

    @Test
    void shouldWriteAValidTraceOfAnEmptyOne() throws IOException {
        records = new RecordWriter();
        Shown shown = export();
        assertThat(shown.packets)
                .singleElement()
                .satisfies(packet -> assertThat(packet.has(45)).isTrue());
    }

    @Test
    void shouldKnowThreadsOfLayoutClassicFromTheSwitches() throws IOException {
        layout = RecordLayout.CLASSIC;
        records = new RecordWriter(layout, 4_096)
                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER, REAL, MONO)
                .record(EventType.SCHED_SWITCH, 0, 70, 0, 81, at(1), 1, 80)
                .record(EventType.SYS_ENTER, 0, 80, 0, 1, at(2))
                .record(EventType.SYS_EXIT, 0, 80, 0, 1, at(3), 0)
                .record(EventType.SCHED_SWITCH, 0, 80, 0, 0, at(4), 1, 0);
        Shown shown = export();
        assertThat(shown.kernel(SWITCH))
                .extracting(event -> event.fields().number(2))
                .containsExactly(70L, 81L);
        assertThat(shown.kernel(SYS_ENTER)).extracting(Shown.Kernel::tid).containsExactly(81L);
    }

    /** The names are the processes' own choice, byte by byte. */
    @Test
    void shouldMakeNamesValidText() throws IOException {
        records.record(EventType.SCHED_SWITCH, 0, 70, 70, 80, at(1), 1, 80);
        Shown shown = export(Map.of(70, "\u00ff\u00fe\u001b[2J", 80, "\u00c3\u00a4"));
        assertThat(shown.processes).containsEntry(70L, "\ufffd\ufffd\ufffd[2J").containsEntry(80L, "\u00e4");
    }

    @Test
    void shouldWriteLongMessagesAndNames() throws IOException {
        marker(1, 0, "x".repeat(3_000));
        assertThat(export().instants)
                .singleElement()
                .extracting(instant -> instant.name().length())
                .isEqualTo(3_000);
    }

    @Test
    void shouldLeaveNoPacketOutOfTheFile() throws IOException {
        for (int i = 0; i < 400; i++) {
            records.record(EventType.SCHED_SWITCH, 0, 80, 81, 81, at(i), 1, 80);
        }
        assertThat(export().kernel(SWITCH)).hasSize(400);
    }
}
