// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.json.Json;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ExportCommandTest extends WorldFixture {
    private static final String EXPORTED =
            "magnet: 3 events exported, 4 lost: 1 context switch, 1 packet's journey to its end";
    private static final int PACKET = 1;

    private Path trace;
    private Path file;

    @BeforeEach
    void save() throws IOException {
        world.control = FakeModule::openWithout;
        trace = folder.resolve("trace");
        file = folder.resolve("node.perfetto-trace");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.CLOCK, 0, 0, 0, 0, TIMER, 1, 2)
                            .record(EventType.LOST, 0, 0, 0, 0, TIMER + 1, 4, TIMER, TIMER)
                            .record(EventType.UDP_ENQUEUE, 0, 70, 71, 5, TIMER + 10, 1, 100)
                            .record(EventType.SKB_CONSUME_UDP, 0, 70, 71, 5, TIMER + 20, 1, 100));
            TraceFixture.write(
                    writer, 1, new RecordWriter().record(EventType.SCHED_SWITCH, 1, 80, 81, 0, TIMER + 30, 1, 0));
        }
    }

    private int export(String... more) {
        return world.run(Stream.concat(
                        Stream.of("export", "-o", file.toString()),
                        Stream.concat(Arrays.stream(more), Stream.of(trace.toString())))
                .toArray(String[]::new));
    }

    private static int packets(byte[] bytes) throws InvalidProtocolBufferException {
        return UnknownFieldSet.parseFrom(bytes)
                .getField(PACKET)
                .getLengthDelimitedList()
                .size();
    }

    @Test
    void shouldWriteAFile() throws IOException {
        assertThat(export()).as("%s", world.errLines()).isZero();
        assertThat(world.errLines()).containsExactly(EXPORTED);
        assertThat(world.outLines()).isEmpty();
        assertThat(packets(Files.readAllBytes(file))).isGreaterThan(10);
    }

    @Test
    void shouldWriteTheSameToStandardOutput() throws IOException {
        assertThat(export()).isZero();
        assertThat(world.run("export", trace.toString(), "-o", "-")).isZero();
        assertThat(world.out.toByteArray()).isEqualTo(Files.readAllBytes(file));
        assertThat(world.errLines()).containsExactly(EXPORTED, EXPORTED);
    }

    @Test
    void shouldRefuseToWriteToATerminal() {
        world.screen = Optional.of(new TerminalSize(24, 80));
        assertThat(world.run("export", trace.toString(), "-o", "-")).isEqualTo(2);
        assertThat(world.errLines())
                .containsExactly("magnet: -o - writes bytes that no terminal can show: name a file, or redirect it"
                        + " (see: magnet export --help)");
    }

    @Test
    void shouldWantToKnowWhereTo() {
        assertThat(world.run("export", trace.toString())).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().contains("--output FILE is missing");
    }

    @Test
    void shouldLeaveAFileAloneThatIsThere() throws IOException {
        Files.writeString(file, "mine");
        assertThat(export()).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + file + " is there already; name another file, or remove this one");
        assertThat(file).hasContent("mine");
    }

    @Test
    void shouldSayWhatCannotBeWritten() {
        file = folder.resolve("nowhere").resolve("x");
        assertThat(export()).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + file + ": no such file or folder");
    }

    @Test
    void shouldSayWhenStandardOutputIsFull() {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        assertThat(world.run("export", trace.toString(), "-o", "-")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: cannot write what was asked for: No space left on device");
    }

    @Test
    void shouldExportOnlyWhatTheRulesLetThrough() {
        assertThat(export("--filter", "drop if cpu == 1")).isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 2 events exported, 4 lost: 0 context switches, 1 packet's journey to its end",
                        "magnet: 1 event was filtered");
    }

    @Test
    void shouldLeaveNoFileOfARuleThatIsNone() {
        assertThat(export("--filter", "drop if nosuch == 1")).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().contains("no event of the trace has a field 'nosuch'");
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldTellDamageOnceAndExportTheRest() throws IOException {
        byte[] bytes = Files.readAllBytes(trace.resolve("cpu1"));
        Files.write(trace.resolve("cpu1"), Arrays.copyOf(bytes, bytes.length - 8));
        bytes = Files.readAllBytes(trace.resolve("cpu0"));
        bytes[56] = 0x7f;
        Files.write(trace.resolve("cpu0"), bytes);
        Files.createDirectory(trace.resolve("cpu2"));
        assertThat(export()).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 2 events exported, 4 lost: 0 context switches, 1 packet's journey to its end",
                        "magnet: 1 malformed records or packets in " + trace
                                + "/cpu0, the first at byte 56: passed over, 56 bytes",
                        "magnet: " + trace
                                + "/cpu1 is cut off: its last packet lacks 8 bytes; everything before it was read",
                        "magnet: " + trace + "/cpu2: is no regular file; its events are not in the export");
        assertThat(packets(Files.readAllBytes(file))).isGreaterThan(5);
    }

    @Test
    void shouldExportAnEmptyTrace() throws IOException {
        trace = folder.resolve("empty");
        TraceFixture.writer(trace, RecordLayout.CLASSIC).close();
        assertThat(export()).isZero();
        assertThat(packets(Files.readAllBytes(file))).isEqualTo(1);
    }

    @Test
    void shouldSayWhatIsNoTrace() {
        trace = folder.resolve("proc");
        assertThat(export()).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + trace + " has no trace: there is no file 'metadata'");
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldLeaveNoFileWhenInterrupted() {
        world.interruption.interrupt();
        assertThat(export()).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: interrupted: there is no export");
        assertThat(file).doesNotExist();
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
        assertThat(export()).as("%s", world.errLines()).isZero();
        assertThat(world.err.toString(StandardCharsets.UTF_8))
                .startsWith("\r\u001b[Kmagnet: 16384 records exported\r\u001b[Kmagnet: 16384 events exported, ");
    }

    private Path saveRun() throws IOException {
        Path run = folder.resolve("run");
        for (int node = 1; node <= 2; node++) {
            try (TraceWriter writer = TraceFixture.writer(run.resolve("n" + node), RecordLayout.WIDE)) {
                TraceFixture.write(
                        writer,
                        0,
                        new RecordWriter()
                                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 100 * node, 1, 7_000 * node)
                                .record(EventType.MARKER, 0, 70, 71, 0, TIMER + 1_000, 0));
            }
        }
        return run;
    }

    @Test
    void shouldMakeAnArchiveOfARun() throws Exception {
        Path archive = folder.resolve("run.tar");

        assertThat(world.run("export", "--cluster", saveRun().toString(), "-o", archive.toString()))
                .as("%s", world.errLines())
                .isZero();

        Process tar = new ProcessBuilder("tar", "-xvf", archive.toString(), "-C", folder.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                .containsExactly("n1.perfetto-trace", "n2.perfetto-trace", "perfetto_manifest.json");
        assertThat(tar.waitFor()).isZero();
        assertThat(packets(Files.readAllBytes(folder.resolve("n1.perfetto-trace"))))
                .isPositive();
        Map<?, ?> manifest = (Map<?, ?>) Json.object(Files.readString(folder.resolve("perfetto_manifest.json")))
                .get("perfetto_manifest");
        assertThat(manifest.get("version")).isEqualTo(1.0);
        assertThat(manifest.get("trace_time")).isEqualTo(Map.of("clock", "BOOTTIME", "file", "n1.perfetto-trace"));
        List<?> files = (List<?>) manifest.get("files");
        assertThat(files.get(0)).isEqualTo(Map.of("path", "n1.perfetto-trace", "machine", Map.of("name", "n1")));
        // 100 ticks are 40 ns: when n2's trace begins at 14000, n1's is at 7040.
        assertThat(((Map<?, ?>) files.get(1)).get("clocks"))
                .isEqualTo(Map.of(
                        "clock",
                        "BOOTTIME",
                        "sync_to",
                        Map.of("file", "n1.perfetto-trace", "clock", "BOOTTIME"),
                        "offset_ns",
                        7_040.0 - 14_000.0));
        assertThat(world.errLines())
                .startsWith("magnet: the clocks of the nodes were not aligned: their own wall clocks place the traces;"
                        + " magnet cluster sync aligns them");
    }

    @Test
    void shouldRefuseARunThatIsATrace() {
        assertThat(export("--cluster")).isOne();
        assertThat(world.errLines())
                .containsExactly("magnet: " + trace
                        + " is a trace of one node; without --cluster it becomes a file for Perfetto");
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldRefuseToWriteAnArchiveWhereItCannotGoBack() {
        assertThat(world.run("export", "--cluster", trace.toString(), "-o", "/dev/null"))
                .isEqualTo(2);
    }
}
