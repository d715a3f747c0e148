// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import magnet.cli.world.Complaint;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ViewCommandTest {
    private static final String NOT_ALIGNED =
            "magnet: the clocks of the nodes were not aligned: packets may seem to arrive"
                    + " before they are sent; magnet cluster sync aligns them";

    @TempDir
    private Path folder;

    private PrintingWorld world;
    private Path run;
    private Path picture;

    @BeforeEach
    void prepare() throws IOException {
        world = new PrintingWorld(folder);
        run = folder.resolve("run");
        picture = folder.resolve("run.svg");
        Files.createDirectory(folder.resolve("index"));
    }

    /** Runs it as magnet does, and returns the exit code; a failure's line is on standard error. */
    private int view(Object... arguments) {
        List<String> all = Stream.concat(
                        Stream.of(arguments).map(Object::toString),
                        Stream.of("--index", folder.resolve("index").toString()))
                .toList();
        return new CommandLine(new ViewCommand(world.world()))
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    world.world().tell(Complaint.about(e));
                    return 1;
                })
                .execute(all.toArray(String[]::new));
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("index"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void shouldWriteAPictureOfARun() throws IOException {
        MadeUpRun.write(run, 1);

        assertThat(view(run, "-o", picture)).isZero();

        assertThat(picture).content().startsWith("<svg ").endsWith("</svg>\n");
        assertThat(world.errLines())
                .containsExactly(
                        NOT_ALIGNED,
                        "magnet: events were lost when the traces were saved (n1: 1284, n2: 1284, n3: 1284); the times in"
                                + " which they happened are hatched",
                        "magnet: 3 nodes, 6 CPUs, 5018 events, 1914 slices, 202 packets from node to node; the index has"
                                + " 2 MiB");
        assertNothingIsLeft();
    }

    @Test
    void shouldShowATraceOfOneNode() throws IOException {
        MadeUpRun.write(run, 1);

        assertThat(view(run.resolve("n1"), "-o", picture)).isZero();

        assertThat(world.errLines()).noneMatch(line -> line.contains("clocks"));
    }

    @Test
    void shouldShowWhatIsLeftOfATraceThatIsCut() throws IOException {
        MadeUpRun.write(run, 1);
        Path file = run.resolve("n2/cpu0");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(Files.size(file) / 2);
        }

        assertThat(view(run, "-o", picture)).isZero();

        assertThat(world.errLines())
                .filteredOn(line -> line.contains("n2"))
                .filteredOn(line -> !line.contains("lost when"))
                .singleElement()
                .asString()
                .startsWith("magnet: " + file + " is cut off: its last packet lacks ");
    }

    @Test
    void shouldSayOfWhichNodeATraceWasTamperedWith() throws IOException {
        MadeUpRun.write(run, 1);
        Path metadata = run.resolve("n2/metadata");
        Files.writeString(metadata, Files.readString(metadata).replace("magnet", "tengam"));

        assertThat(view(run, "-o", picture)).isOne();

        assertThat(world.errLines())
                .filteredOn(line -> line.endsWith("; the node is left out"))
                .singleElement()
                .asString()
                .contains("n2/metadata");
        assertThat(picture).content().contains("n1 cpu 0", "n3 cpu 0").doesNotContain("n2 cpu 0");
        assertNothingIsLeft();
    }

    @Test
    void shouldPassOverBytesThatAreNoRecords() throws IOException {
        MadeUpRun.write(run, 1);
        Path file = run.resolve("n3/cpu1");
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 2_000; i < 2_400; i++) {
            bytes[i] = (byte) 0xff;
        }
        Files.write(file, bytes);

        assertThat(view(run, "-o", picture)).isZero();

        assertThat(world.errLines()).anyMatch(line -> line.contains("malformed records or packets in " + file));
    }

    @Test
    void shouldHaveNothingToShowOfATraceWithoutEvents() throws IOException {
        new MadeUpNode(run, "n1", 1_000_000).close();

        assertThat(view(run, "-o", picture)).isOne();

        assertThat(world.errLines()).containsExactly("magnet: there is nothing to show: no trace has an event");
        assertThat(picture).doesNotExist();
        assertNothingIsLeft();
    }

    @Test
    void shouldSayThatANodeHasNoEventsIfOthersHave() throws IOException {
        MadeUpRun.write(run, 1);
        new MadeUpNode(run.resolve("n4"), "n4", 1_000_000).close();

        assertThat(view(run, "-o", picture)).isZero();

        assertThat(world.errLines()).contains("magnet: n4: the trace has no events; the node is left out");
    }

    @Test
    void shouldRefuseAFolderWithoutTraces() throws IOException {
        Files.createDirectory(run);

        assertThat(view(run)).isOne();

        assertThat(world.errLines())
                .containsExactly(
                        "magnet: " + run + " has no trace: there is no file 'metadata', and no folder with one");
        assertNothingIsLeft();
    }

    @Test
    void shouldSayThatANodeIsNotInSyncJson() throws IOException {
        MadeUpRun.write(run, 1);
        Files.writeString(run.resolve("sync.json"), sync("n1", "n2"));

        assertThat(view(run, "-o", picture)).isZero();

        assertThat(world.errLines())
                .contains("magnet: n3: sync.json says nothing of this trace, so its clock is taken as it is; run magnet"
                        + " cluster sync again")
                .doesNotContain(NOT_ALIGNED);
    }

    @Test
    void shouldSayThatSyncJsonCannotBeUnderstood() throws IOException {
        MadeUpRun.write(run, 1);
        Files.writeString(run.resolve("sync.json"), "{\"version\": 1}");

        assertThat(view(run, "-o", picture)).isOne();

        assertThat(world.errLines())
                .anyMatch(line -> line.contains("sync.json"))
                .contains(NOT_ALIGNED);
    }

    /** Clocks that differ by nothing, to two microseconds. */
    private static String sync(String... nodes) {
        StringBuilder all = new StringBuilder();
        for (String each : nodes) {
            all.append(all.isEmpty() ? "" : ", ").append("""
                    "%s": {"clock": "TSC", "ticks_per_second": "1000000000", "origin_s": "%d", "origin_ticks": "%d",
                    "from_ns": "%d", "to_ns": "%d", "offset_from_ns": "0", "offset_to_ns": "0",
                    "half_widths_ns": [1000.0, 1000.0], "beyond_ppm": 1.0}
                    """.formatted(
                            each,
                            MadeUpNode.BEGIN_NS / 1_000_000_000,
                            MadeUpNode.BEGIN_NS % 1_000_000_000,
                            MadeUpNode.BEGIN_NS,
                            MadeUpNode.BEGIN_NS + 1_000_000_000));
        }
        return "{\"version\": 1, \"run\": \"\", \"reference\": \"" + nodes[0] + "\", \"nodes\": {" + all
                + "}, \"pairs\": [], \"matched\": 0, \"left_out\": {}, \"sampled\": 1, \"violations\": 0}";
    }

    @Test
    void shouldShowWhatRulesLetThrough() throws IOException {
        MadeUpRun.write(run, 1);

        assertThat(view(run, "-o", picture, "--filter", "drop if cpu != 0")).isZero();

        assertThat(world.errLines().get(world.errLines().size() - 1)).contains(", 2228 events, ");
    }

    @Test
    void shouldReplaceNoFile() throws IOException {
        MadeUpRun.write(run, 1);
        Files.writeString(picture, "precious");

        assertThat(view(run, "-o", picture)).isOne();

        assertThat(picture).hasContent("precious");
        assertNothingIsLeft();
    }

    @Test
    void shouldServeUntilItIsInterrupted() throws Exception {
        MadeUpRun.write(run, 1);
        Thread interrupting = new Thread(() -> {
            while (!world.out().endsWith("/\n")) {
                Thread.onSpinWait();
            }
            world.interrupt();
        });
        interrupting.start();

        assertThat(view(run)).isZero();

        interrupting.join();
        assertThat(world.out()).matches("http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/\n");
        assertNothingIsLeft();
    }
}
