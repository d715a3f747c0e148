// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import magnet.cli.MagnetRun;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.control.ControlSource;
import magnet.control.MagnetControl;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code magnet cluster sync}, from traces on the disk to sync.json. */
final class ClusterSyncCommandTest {
    private static final String RUN = "0a1b2c3d";
    private static final int EACH = 200;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Optional<TerminalSize> terminal = Optional.empty();
    private long nanos;

    @TempDir
    private Path temporary;

    private Path folder;
    private MadeUpRun run;

    @BeforeEach
    void prepare() throws IOException {
        folder = Files.createDirectory(temporary.resolve("run"));
        run = new MadeUpRun(folder);
    }

    private int sync(String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "cluster";
        all[1] = "sync";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        out.reset();
        err.reset();
        return MagnetRun.run(world(), all);
    }

    private World world() {
        ControlSource none = new ControlSource() {
            @Override
            public MagnetControl open() {
                throw new UnsupportedOperationException();
            }
        };
        return new World(
                new Output(out),
                new Output(err),
                none,
                () -> {
                    throw new UnsupportedOperationException();
                },
                buffer -> new BufferDirectory(temporary),
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null),
                (call, times) -> {},
                name -> {},
                name -> {},
                temporary,
                temporary,
                temporary,
                () -> nanos += 1_000_000_000,
                InstantSource.system(),
                new Interruption(),
                () -> ZoneOffset.UTC,
                () -> terminal,
                temporary,
                channel -> "is there",
                Optional::empty,
                Optional::empty,
                (beforeStop, afterwards) -> {});
    }

    private List<String> outLines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private String errText() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Datagrams both ways, which take 50 µs at least one way and 150 the other. */
    private void talk(String one, String other) {
        Random random = new Random(one.hashCode() * 31L + other.hashCode());
        for (int number = 0; number < EACH; number++) {
            double at = 0.01e9 + 9.9e9 * random.nextDouble();
            run.datagram(one, other, at, 50_000 - 30_000 * Math.log(1 - random.nextDouble()));
            run.datagram(other, one, at + 1e6, 150_000 - 30_000 * Math.log(1 - random.nextDouble()));
        }
    }

    private void three() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1 + 37e-6, 4_000_000_000L);
        run.node("n3", 1 - 12e-6, -1_500_000L);
        talk("n1", "n2");
        talk("n2", "n3");
        talk("n1", "n3");
        run.write();
        for (String node : List.of("n1", "n2", "n3")) {
            run.says(node, RUN, false, 0);
        }
    }

    @Test
    void shouldPutThreeNodesOnOneClock() throws IOException {
        three();

        assertThat(sync(folder.toString())).as(errText()).isZero();

        ClusterClocks clocks = ClusterClocks.read(folder);
        assertThat(clocks.matched()).isEqualTo(6 * EACH);
        assertThat(clocks.violations()).isZero();
        assertThat(clocks.leftOut()).isEmpty();
        assertThat(clocks.sampled()).isOne();
        assertThat(clocks.run()).endsWith("-default-" + RUN);
        assertThat(clocks.pairs()).hasSize(3).allMatch(ClockPair::bounded).noneMatch(ClockPair::disciplined);
        for (String node : List.of("n1", "n2", "n3")) {
            NodeClock clock = clocks.of(node).orElseThrow();
            for (double at = 0; at <= 10e9; at += 0.5e9) {
                long own = run.timeNs(node, at);
                double error = Math.abs(clock.toReferenceNs(own) - run.timeNs(clocks.reference(), at));
                assertThat(error).isLessThanOrEqualTo(clock.halfWidthNs(own) + 3);
            }
        }
        assertThat(outLines()).hasSize(4);
        assertThat(outLines().get(0)).startsWith("NODES  PACKETS  BACK  HALF WIDTH us");
        assertThat(outLines().get(1)).matches("n1 n2 +200 +200 .*");
        assertThat(errText())
                .contains("3 nodes on the clock of ", "by 1200 packets; none was received before it was sent");
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void shouldPrintWhatIsInTheFileAndReplaceIt() throws IOException {
        three();
        Files.writeString(folder.resolve(ClusterClocks.FILE), "old");

        assertThat(sync(folder.toString(), "--reference", "n3", "--json")).isZero();

        assertThat(outLines())
                .containsExactly(
                        Files.readString(folder.resolve(ClusterClocks.FILE)).strip());
        assertThat(ClusterClocks.read(folder).reference()).isEqualTo("n3");
    }

    @Test
    void shouldLeaveOutNodes() throws IOException {
        three();

        assertThat(sync(folder.toString(), "--nodes", "n1,n3")).isZero();

        assertThat(ClusterClocks.read(folder).nodes()).containsOnlyKeys("n1", "n3");
    }

    @Test
    void shouldTakeRatesOfDisciplinedClocksToBeTheSame() throws IOException {
        three();
        double wide = widest();
        // What disciplines n2's clock slows it down by as much as its trace is too fast.
        run.says("n1", RUN, true, 0);
        run.says("n2", RUN, true, -37);
        run.says("n3", RUN, true, 12);

        assertThat(widest()).isLessThan(wide);

        ClusterClocks clocks = ClusterClocks.read(folder);
        assertThat(clocks.pairs()).allMatch(ClockPair::disciplined);
        ClockPair pair = clocks.pairs().get(0);
        assertThat(pair.slopeMin()).isBetween(1 + 35.5e-6, 1 + 37e-6);
        assertThat(pair.slopeMax()).isBetween(1 + 37e-6, 1 + 38.5e-6);
        assertThat(clocks.violations()).isZero();
    }

    @Test
    void shouldBelieveClockRecordsBeforeAdjtimexAndPacketsBeforeBoth() throws IOException {
        for (String node : List.of("n1", "n2")) {
            run.node(node, node.equals("n1") ? 1 : 1 + 37e-6, 0);
            run.clock(node, 0.001e9, 0);
            run.clock(node, 9.9e9, 0);
        }
        talk("n1", "n2");
        run.write();
        run.says("n1", RUN, true, 0);
        run.says("n2", RUN, true, 300);

        assertThat(sync(folder.toString())).isZero();
        ClockPair pair = ClusterClocks.read(folder).pairs().get(0);
        assertThat(pair.disciplined()).isTrue();
        assertThat(pair.slopeMin()).isBetween(1 + 35.5e-6, 1 + 37e-6);

        MadeUpRun other = new MadeUpRun(Files.createDirectory(temporary.resolve("other")));
        run = other;
        other.node("n1", 1, 0);
        other.node("n2", 1 + 37e-6, 0);
        talk("n1", "n2");
        other.write();
        other.says("n1", RUN, true, 0);
        other.says("n2", RUN, true, 300);

        assertThat(sync(other.folder.toString())).isZero();
        assertThat(errText()).contains("the packets are believed");
        pair = ClusterClocks.read(other.folder).pairs().get(0);
        assertThat(pair.disciplined()).isFalse();
        assertThat(pair.slopeMin()).isLessThan(1 + 37e-6);
        assertThat(pair.slopeMax()).isGreaterThan(1 + 37e-6);
    }

    private double widest() throws IOException {
        assertThat(sync(folder.toString())).isZero();
        return ClusterClocks.read(folder).pairs().stream()
                .mapToDouble(ClockPair::halfWidthNs)
                .max()
                .orElseThrow();
    }

    @Test
    void shouldNameAPacketThatWasReceivedBeforeItWasSent() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1, 4_000_000_000L);
        talk("n1", "n2");
        run.datagram("n2", "n1", 5e9, -2_000_000);
        run.write();

        assertThat(sync(folder.toString())).isEqualTo(1);

        assertThat(errText())
                .contains("no clocks agree with all packets between n1 and n2")
                .contains("n2 > n1: a packet was received ")
                .contains(" us before it was sent, at " + run.timeNs("n2", 5e9)
                        + " ns on n2: UDP 10.9.8.2.5000 > 10.9.8.1.7");
        ClusterClocks clocks = ClusterClocks.read(folder);
        assertThat(clocks.violations()).isPositive();
        assertThat(clocks.pairs().get(0).bounded()).isFalse();
    }

    @Test
    void shouldLeaveOutWhatCameAfterTheTimerJumped() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1, 1_000);
        talk("n1", "n2");
        run.clock("n1", 0.001e9, 0);
        run.clock("n1", 9.95e9, 1);
        run.datagram("n1", "n2", 9.96e9, 60_000);
        run.datagram("n2", "n1", 9.97e9, 60_000);
        run.write();

        assertThat(sync(folder.toString())).isZero();

        ClusterClocks clocks = ClusterClocks.read(folder);
        assertThat(clocks.matched()).isEqualTo(2 * EACH);
        assertThat(clocks.leftOut()).containsEntry("after_jump", 2L).containsEntry("not_sent", 1L);
        assertThat(errText()).contains("the timer jumped or began anew once");
    }

    @Test
    void shouldShowOnATerminalHowFarItIs() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1, 0);
        talk("n1", "n2");
        for (int number = 0; number < 20_000; number++) {
            run.marker("n1", 1e9 + number);
        }
        run.write();
        terminal = Optional.of(new TerminalSize(80, 25));

        assertThat(sync(folder.toString())).isZero();

        assertThat(errText()).contains("magnet: 16384 records of n1 read").contains("\r\033[K");
    }

    private void assertRefused(String message, String... arguments) {
        assertThat(sync(arguments)).isEqualTo(1);
        assertThat(errText().strip())
                .contains(message)
                .doesNotContain("internal error")
                .doesNotContain("\n");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(folder.resolve(ClusterClocks.FILE)).doesNotExist();
    }

    @Test
    void shouldRefuseWhatIsNoRun() throws IOException {
        assertRefused(
                "/none: there is no such folder", temporary.resolve("none").toString());
        Path file = Files.createFile(temporary.resolve("file"));
        assertRefused("it is a file; magnet cluster collect makes a folder of a run", file.toString());
        assertRefused("has no traces; magnet cluster collect RUN -o ", folder.toString());
        three();
        assertRefused(
                "is the trace of one node; name the folder of the run",
                folder.resolve("n1").toString());
        assertRefused(
                "--reference n9 is none of the nodes, which are n1, n2, n3", folder.toString(), "--reference", "n9");
        assertRefused("has no trace of n9; magnet cluster collect fetches it", folder.toString(), "--nodes", "n1,n9");
        assertRefused("has a trace of n1 alone", folder.toString(), "--nodes", "n1");
    }

    @Test
    void shouldRefuseNodesThatShareNoPackets() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1, 0);
        run.node("n3", 1, 0);
        talk("n1", "n3");
        run.datagram("n2", "n1", 1e9, 50_000);
        run.write();

        assertRefused("no packets go both ways between n1, n3 and n2", folder.toString());
    }

    @Test
    void shouldRefuseATraceWithoutPacketsOrRecords() throws IOException {
        run.node("n1", 1, 0);
        run.node("n2", 1, 0);
        talk("n1", "n2");
        run.node("n3", 1, 0);
        run.write();

        assertRefused("n3 has no packets, so that nothing bounds the clock of n3", folder.toString());
        for (int part = 1; part <= 3; part++) {
            Files.deleteIfExists(folder.resolve("n3/00000" + part + "/cpu0"));
        }
        assertRefused("n3 has no packets, so that nothing bounds the clock of n3", folder.toString());
        assertThat(sync(folder.toString(), "--nodes", "n1,n2")).isZero();
    }

    @Test
    void shouldRefuseTracesOfTwoRuns() throws IOException {
        three();
        run.says("n2", "11111111", false, 0);

        assertRefused("has traces of two runs: n2 is of ", folder.toString());
    }

    @Test
    void shouldRefuseAForeignTraceAndAForeignFile() throws IOException {
        three();
        Path metadata = folder.resolve("n2/000001/metadata");
        String good = Files.readString(metadata, StandardCharsets.ISO_8859_1);
        Files.writeString(metadata, "/* CTF 1.8 */\nenv { domain = \"ust\"; };\n");
        assertRefused("n2/000001/metadata", folder.toString());
        Files.writeString(metadata, good, StandardCharsets.ISO_8859_1);
        Files.writeString(folder.resolve("n2.json"), "{}");
        assertRefused("n2.json: it says nothing of a run that can be understood", folder.toString());
    }

    @Test
    void shouldTakeWhatACutTraceHasAndSayWhatItLacks() throws IOException {
        three();
        Path file = folder.resolve("n2/000003/cpu0");
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(cut.length() / 2);
        }

        assertThat(sync(folder.toString())).isZero();

        assertThat(errText()).contains("n2/000003/cpu0 is cut off: its last packet lacks");
        ClusterClocks clocks = ClusterClocks.read(folder);
        assertThat(clocks.matched()).isBetween(4L * EACH, 6L * EACH - 10);
        assertThat(clocks.violations()).isZero();
    }

    @Test
    void shouldLeaveNothingWhereItCannotWrite() throws IOException {
        three();
        Files.createDirectory(folder.resolve("sync.json.new"));

        assertRefused("sync.json.new", folder.toString());
    }

    @Test
    void shouldCountPacketsOfWhichLittleWasRecorded() throws IOException {
        three();
        MadeUpRun other = new MadeUpRun(Files.createDirectory(temporary.resolve("short")));
        run = other;
        run.node("n1", 1, 0);
        run.node("n2", 1, 0);
        talk("n1", "n2");
        run.packet("n1", EventType.NET_DEV_START_XMIT, 5e9, new byte[] {0x45, 0, 0, 60});
        run.packet("n1", EventType.NET_DEV_START_XMIT, 5.1e9, new byte[28]);
        run.write();

        assertThat(sync(other.folder.toString())).isZero();

        assertThat(ClusterClocks.read(other.folder).leftOut())
                .containsEntry("short", 1L)
                .containsEntry("other_protocol", 1L)
                .hasSize(2);
        assertThat(ClusterClocks.read(other.folder).nodes().get("n1").rate()).isCloseTo(0, within(1e-3));
    }
}
