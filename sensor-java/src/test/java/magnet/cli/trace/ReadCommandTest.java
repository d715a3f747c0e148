// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import magnet.trace.TraceFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The made-up module's timer 5000 is 2026-09-21T14:13:20Z, 2.5 ticks are a nanosecond. */
@Timeout(60)
final class ReadCommandTest {
    private static final long TIMER = 5_000;

    private final FakeModule module = new FakeModule();

    @TempDir
    private Path folder;

    private TestWorld world;
    private Fifo first;
    private Fifo second;

    @BeforeEach
    void makeWorld() throws IOException {
        world = new TestWorld(folder, module);
        first = Fifo.create(world.data.resolve("cpu0"));
        second = Fifo.create(world.data.resolve("cpu1"));
    }

    @AfterEach
    void closeFifos() throws IOException {
        first.close();
        second.close();
    }

    private void write() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 1, 412, 419, 77, TIMER + 250, 0x8000_0000L, 70)
                .bytes());
        first.write(new RecordWriter()
                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 100, 1_790_000_000_000_000_040L, 2_040)
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 200, 1_400, 2, 17)
                .unknown(0x7ff, 0, TIMER + 300, 1, 2)
                .record(EventType.LOST, 0, 0, 0, 0, TIMER + 400, 3, 1, 2)
                .bytes());
    }

    @Test
    void shouldPrintOneLinePerEventInTimeOrder() throws IOException {
        write();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-p", "sched_switch", "-d", "0.5"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TIME               CPU  PROCESS/THREAD EVENT              FIELDS",
                        "14:13:20.000000080   0           99/98 udp_sendmsg        cookie=5 len=1400 family=2 protocol=17",
                        "14:13:20.000000100   1         412/419 sched_switch       next_tid=77 prev_state=0x80000000"
                                + " next_tgid=70",
                        "14:13:20.000000120   0             1/1 event_0x7ff        abstract_id=0 payload=16_bytes",
                        "14:13:20.000000160   0             0/0 lost               count=3 first_timer=1 last_timer=2");
        assertThat(world.errLines()).containsExactly("magnet: 3 events printed; of 52 hits 10 were lost");
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch");
        assertThat(world.bufferAsked)
                .isEqualTo("read-" + ProcessHandle.current().pid());
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldPrintJson() throws IOException {
        write();
        assertThat(world.run("read", "--json", "-n", "3")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "{\"time\":\"2026-09-21T14:13:20.000000080Z\",\"time_ns\":1790000000000000080,\"timer\":5200,"
                                + "\"cpu\":0,\"tgid\":99,\"tid\":98,\"event_id\":16,\"event\":\"udp_sendmsg\","
                                + "\"abstract_id\":5,\"fields\":{\"len\":1400,\"family\":2,\"protocol\":17}}",
                        "{\"time\":\"2026-09-21T14:13:20.000000100Z\",\"time_ns\":1790000000000000100,\"timer\":5250,"
                                + "\"cpu\":1,\"tgid\":412,\"tid\":419,\"event_id\":272,\"event\":\"sched_switch\","
                                + "\"abstract_id\":77,\"fields\":{\"prev_state\":\"0x80000000\",\"next_tgid\":70}}",
                        "{\"time\":\"2026-09-21T14:13:20.000000120Z\",\"time_ns\":1790000000000000120,\"timer\":5300,"
                                + "\"cpu\":0,\"tgid\":1,\"tid\":1,\"event_id\":2047,\"abstract_id\":0,"
                                + "\"payload_bytes\":16}");
    }

    private void writeOfDynamicPointAndModule() throws IOException {
        first.write(new RecordWriter()
                .unknown(0x400, 0, TIMER + 100, 0xffff_fffe_0000_00c8L, 0x6d2f_7465_6e2f_6322L, 0x6761)
                .unknown(0x401, 0, TIMER + 200, 0x0000_001f_0000_0003L, 0x636261)
                .bytes());
    }

    @Test
    void shouldPrintNamesAndFieldsOfDynamicPointsAndOfModulesEvents() throws IOException {
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        writeOfDynamicPointAndModule();
        assertThat(world.run("read", "-v", "-n", "2")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TIME               CPU  PROCESS/THREAD EVENT              FIELDS",
                        "14:13:20.000000040   0             1/1 f_open             small=200 ret=-2"
                                + " name=\"\\\"c/net/mag\"",
                        "14:13:20.000000080   0             1/1 sample_text        abstract_id=0 len=3 flags=0x1f"
                                + " more=6162630000000000");
    }

    @Test
    void shouldGiveNamesAndFieldsOfDynamicPointsAndOfModulesEventsInJson() throws IOException {
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        writeOfDynamicPointAndModule();
        assertThat(world.run("read", "--json", "-n", "2")).isZero();
        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .endsWith("\"event_id\":1024,\"event\":\"f_open\",\"abstract_id\":0,"
                                        + "\"fields\":{\"small\":200,\"ret\":-2,\"name\":\"\\\"c/net/mag\"}}"),
                        line -> assertThat(line)
                                .endsWith("\"event_id\":1025,\"event\":\"sample_text\",\"abstract_id\":0,"
                                        + "\"fields\":{\"len\":3,\"flags\":\"0x1f\",\"more\":\"6162630000000000\"}}"));
    }

    @Test
    void shouldAskForPacketsOnlyWherePointsHaveThemUnlessTheUserNamesThePoint() throws IOException {
        write();
        assertThat(world.run("read", "--snap", "64", "-n", "1")).isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("POINT=half_there").doesNotContain("SNAP_LEN");
        write();
        assertThat(world.run("read", "--snap", "64", "-n", "1", "-p", "sched_switch"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("SNAP_LEN=64");
    }

    @Test
    void shouldEndAfterTheCount() throws IOException {
        write();
        assertThat(world.run("read", "-n", "1")).isZero();
        assertThat(world.outLines()).hasSize(2);
    }

    @Test
    void shouldReadAllPointsThatThereAreByDefault() throws IOException {
        write();
        assertThat(world.run("read", "-n", "1")).isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch", "half_there");
    }

    @Test
    void shouldPrintOnlyTheProcessThatIsAskedFor() throws IOException {
        write();
        assertThat(world.run("read", "--tgid", "412", "-d", "0.3")).isZero();
        assertThat(world.outLines()).hasSize(3).anyMatch(line -> line.contains("412/419"));
        assertThat(world.outLines()).as("loss concerns everybody").anyMatch(line -> line.contains("lost"));
    }

    @Test
    void shouldKeepRawRecords() throws IOException {
        write();
        Path raw = folder.resolve("a/b");
        assertThat(world.run("read", "--raw", raw.toString(), "-d", "0.3")).isZero();
        assertThat(Files.size(raw.resolve("cpu0.raw"))).isEqualTo(32 + 24 + 32 + 8 + 32 + 16 + 32 + 24);
        assertThat(Files.size(raw.resolve("cpu1.raw"))).isEqualTo(40);
    }

    @Test
    void shouldEndWhenTheUserInterrupts() throws Exception {
        CountDownLatch printed = new CountDownLatch(1);
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) {
                world.out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                world.out.write(bytes, offset, length);
                printed.countDown();
            }
        };
        int[] exitCode = {-1};
        Thread command = new Thread(() -> exitCode[0] = world.run("read"));
        command.start();
        printed.await();
        while (!world.interruption.interrupt()) {
            Thread.onSpinWait();
        }
        command.join();
        assertThat(exitCode[0]).isZero();
        assertThat(world.errLines()).containsExactly("magnet: 0 events printed; of 78 hits 15 were lost");
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsItsOutput() throws IOException {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        write();
        assertThat(world.run("read")).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldSayHowManyEventsAreLackingWhenItsOutputCannotBeWritten() throws IOException {
        write();
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            world.outStream = full;
            assertThat(world.run("read", "--json")).isEqualTo(1);
        }
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .matches("magnet: cannot write what was asked for: No space left on device; up to [1-9]\\d* events were"
                        + " not written");
    }

    @Test
    void shouldSayWhenTheBufferWasRemoved() throws IOException {
        write();
        first.close();
        second.close();
        Files.delete(world.data.resolve("cpu0"));
        Files.delete(world.data.resolve("cpu1"));
        Files.createFile(world.data.resolve("cpu0"));
        assertThat(world.run("read")).isZero();
        assertThat(world.errLines()).containsExactly("magnet: 0 events printed, then somebody else removed the buffer");
    }

    @Test
    void shouldNameTheNearestPointWhenThereIsNone() {
        assertThat(world.run("read", "-p", "udp_sendmesg")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: there is no point udp_sendmesg; did you mean udp_sendmsg?"
                        + " (\"magnet points\" lists them)");
    }

    @Test
    void shouldNotGuessWhenNoPointIsNear() {
        assertThat(world.run("read", "-p", "nosuch")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: there is no point nosuch (\"magnet points\" lists them)");
    }

    @Test
    void shouldAskTheKernelForWhatIsSelected() throws IOException {
        write();
        assertThat(world.run(
                        "read",
                        "-p",
                        "udp_sendmsg",
                        "-n",
                        "1",
                        "--filter",
                        "drop if id & 1",
                        "--filter",
                        "log",
                        "--sample",
                        "10",
                        "--snap",
                        "64",
                        "--counters",
                        "Cache-Misses,cpu_clock"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW"))
                .endsWith("RULES=drop if id & 1; log FLAGS=0 SAMPLE_COUNT=10 SNAP_LEN=64 COUNTERS=72");
    }

    @Test
    void shouldPrintWhatTheSensorSaysOfItself() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100)
                .bytes());
        first.write(new RecordWriter()
                .record(EventType.STORM, 0, 0, 0, 0x3c0, TIMER + 250, 7, 1, 2)
                .record(EventType.CORRELATED, 0, 5, 6, 77, TIMER + 500, 3, 2, 8, 9)
                .bytes());
        RecordWriter counters = new RecordWriter();
        int start = counters.header(32 + 8 + 3 * 8, 0, EventType.COUNTERS.id(), 5, 6, 77, TIMER + 500);
        counters.buffer().putInt(start + 32, 0x143).putInt(start + 36, 4);
        counters.buffer().putLong(start + 40, 1_000).putLong(start + 48, -1).putLong(start + 56, 30);
        first.write(counters.bytes());

        assertThat(world.run("read", "--tgid", "5", "-d", "0.3")).isZero();

        assertThat(world.outLines().stream().skip(1).map(line -> line.substring(39)))
                .containsExactly(
                        "storm              event=960 refused=7 first_timer=1 last_timer=2",
                        "correlated         id=77 correlation=3 count=2 first_timer=8 last_timer=9",
                        "counters           id=77 which=0x143 n=4 cycles=1000 instructions=unreadable cpu_clock=30");
        assertThat(world.errLines().get(0)).as("the others are no events").startsWith("magnet: 1 events printed");
    }

    @Test
    void shouldPrintTheCountersOfTheLastEventAlso() throws IOException {
        RecordWriter records = new RecordWriter();
        for (long timer = TIMER + 250; timer < TIMER + 750; timer += 250) {
            records.record(EventType.UDP_SENDMSG, 0, 99, 98, 5, timer, 1_400, 2, 17);
            int start = records.header(32 + 8 + 8, 0, EventType.COUNTERS.id(), 99, 98, 5, timer);
            records.buffer().putInt(start + 32, 0x40).putInt(start + 36, 1).putLong(start + 40, timer);
        }
        first.write(records.bytes());
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 1_000)
                .bytes());

        assertThat(world.run("read", "-n", "1")).isZero();

        assertThat(world.outLines()).hasSize(3);
        assertThat(world.outLines().get(2)).contains("counters").endsWith("cpu_clock=" + (TIMER + 250));
    }

    @Test
    void shouldPrintTheTextOfMarkersAndTheBytesOfPackets() throws IOException {
        RecordWriter writer = new RecordWriter();
        int marker = writer.header(32 + 8 + 8, 0, EventType.MARKER.id(), 5, 6, 42, TIMER + 250);
        writer.buffer().putInt(marker + 32, 6);
        writer.buffer().put(marker + 40, "42 \"\033a".getBytes(StandardCharsets.UTF_8));
        int packet = writer.header(32 + 24 + 8, 0, EventType.UDP_RCV.id(), 5, 6, 0, TIMER + 500);
        writer.buffer().putShort(packet + 32 + 18, (short) 5).putLong(packet + 32 + 24, 0x45L);
        first.write(writer.bytes());
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100)
                .bytes());
        String fields = "packet_id=0x0 len=0 ifindex=0 ethertype=0x0 captured=5 network_len=0";

        assertThat(world.run("read", "-v", "-d", "0.3")).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.endsWith("number=42 len=6 text=\"42 \\\"\\u001ba\""))
                .anyMatch(line -> line.endsWith(fields + " packet=4500000000"));

        TestWorld plain = new TestWorld(folder.resolve("plain"), module);
        try (Fifo again = Fifo.create(plain.data.resolve("cpu0"))) {
            again.write(writer.bytes());
            assertThat(plain.run("read", "-d", "0.3")).isZero();
            assertThat(plain.outLines()).anyMatch(line -> line.endsWith(fields));
        }
        TestWorld json = new TestWorld(folder.resolve("json"), module);
        try (Fifo again = Fifo.create(json.data.resolve("cpu0"))) {
            again.write(writer.bytes());
            assertThat(json.run("read", "--json", "-d", "0.3")).isZero();
            assertThat(json.outLines())
                    .anyMatch(line -> line.endsWith(",\"text\":\"42 \\\"\\u001ba\"}}"))
                    .anyMatch(line -> line.endsWith(",\"packet\":\"4500000000\"}}"));
        }
    }

    @Test
    void shouldSayWhatThisKernelDoesNotHave() {
        assertThat(world.run("read", "-p", "not_there")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: point not_there is missing on this kernel: it has none of not_there,"
                        + " not_there_old");
    }

    @Test
    void shouldSayWhichRightIsMissing() throws IOException {
        TestWorld unprivileged = new TestWorld(folder.resolve("u"), new FakeModule().unprivileged());
        assertThat(unprivileged.run("read")).isEqualTo(1);
        assertThat(unprivileged.errLines())
                .singleElement()
                .asString()
                .contains("needs CAP_PERFMON or CAP_SYS_ADMIN (EPERM); run it as root or give it CAP_PERFMON");
    }

    @Test
    void shouldNameTheCapabilityThatTheKernelAsksFor() throws IOException {
        assertThat(complaint("bytes of packets need CAP_NET_RAW too, or CAP_SYS_ADMIN"))
                .endsWith("(EPERM); run it as root or give it CAP_NET_RAW");
        assertThat(complaint("a field reads the kernel's memory: needs CAP_BPF with CAP_PERFMON, or CAP_SYS_ADMIN"))
                .endsWith("(EPERM); run it as root or give it CAP_BPF");
        assertThat(complaint("the kernel is locked down (confidentiality): no counters; leave them out"))
                .endsWith("no counters; leave them out (EPERM)");
    }

    private String complaint(String kernelText) throws IOException {
        TestWorld refused =
                new TestWorld(folder.resolve("" + kernelText.hashCode()), new FakeModule().unprivileged(kernelText));
        assertThat(refused.run("read")).isEqualTo(1);
        assertThat(refused.errLines()).hasSize(1);
        return refused.errLines().get(0);
    }

    @Test
    void shouldSayWhenThereAreNoDataFiles() throws IOException {
        TestWorld empty = new TestWorld(folder.resolve("e"), new FakeModule());
        assertThat(empty.run("read")).isEqualTo(1);
        assertThat(empty.errLines()).singleElement().asString().isEqualTo("magnet: no data files in " + empty.data);
    }
}
