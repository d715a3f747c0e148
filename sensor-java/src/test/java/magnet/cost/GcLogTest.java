// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GcLogTest {
    private static final String LOG = """
            [1000ns] Using Serial
            [2000000000ns] GC(0) DefNew: 1600K(1856K)->100K(1856K) Eden: 1600K(1664K)->0K(1664K) From: 0K(192K)->100K(192K)
            [2000000000ns] GC(0) Tenured: 400K(6144K)->500K(6144K)
            [2000000000ns] GC(0) Metaspace: 3000K(3200K)->3000K(3200K) NonClass: 2700K(2816K)->2700K(2816K)
            [2000000000ns] GC(0) Pause Young (Allocation Failure) 1M->0M(7M) 2.125ms
            [4000000000ns] GC(1) DefNew: 1700K(1856K)->90K(1856K) Eden: 1600K(1664K)->0K(1664K) From: 100K(192K)->90K(192K)
            [4000000000ns] GC(1) Tenured: 500K(6144K)->510K(6144K)
            [4000000000ns] GC(1) Pause Young (Allocation Failure) 2M->0M(7M) 1.000ms
            [9000000000ns] GC(2) DefNew: 1700K(1856K)->90K(1856K) Eden: 1600K(1664K)->0K(1664K) From: 100K(192K)->90K(192K)
            """;

    @TempDir
    private Path folder;

    private List<GcLog.Collection> read(String log) throws IOException {
        return GcLog.read(Files.writeString(folder.resolve("gc.log"), log));
    }

    @Test
    void shouldReadWhatHasEnded() throws IOException {
        assertThat(read(LOG))
                .containsExactly(
                        new GcLog.Collection(2_000_000_000L, 2.125, 2_000 * 1_024, 600 * 1_024),
                        new GcLog.Collection(4_000_000_000L, 1, 2_200 * 1_024, 600 * 1_024));
    }

    @Test
    void shouldCountWhatWasAllocatedBetweenCollections() throws IOException {
        assertThat(GcLog.allocatedPerSecond(read(LOG))).isEqualTo(800 * 1_024, offset(0.001));
    }

    @Test
    void shouldNotKnowWhatWasAllocatedUntilThereWereTwo() throws IOException {
        assertThat(GcLog.allocatedPerSecond(read(LOG).subList(0, 1))).isNaN();
        assertThat(GcLog.allocatedPerSecond(read(""))).isNaN();
    }

    /** What is read is what this JVM writes. */
    @Test
    void shouldReadTheLogOfAJvm() throws IOException, InterruptedException {
        Path log = folder.resolve("jvm.log");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx32m",
                        GcLog.option(log),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Waster.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor()).isZero();
        List<GcLog.Collection> collections = GcLog.read(log);
        assertThat(collections).hasSizeGreaterThan(2);
        assertThat(collections)
                .allSatisfy(each -> assertThat(each.bytesBefore()).isGreaterThan(each.bytesAfter()));
        assertThat(collections).allSatisfy(each -> assertThat(each.endNanos()).isLessThan(System.nanoTime()));
    }

    /** Makes garbage. */
    static final class Waster {
        private static final int ARRAYS = 200_000;
        private static final int BYTES = 1_024;

        private Waster() {}

        public static void main(String[] arguments) {
            byte[] last = {};
            for (int i = 0; i < ARRAYS; i++) {
                last = new byte[BYTES + last.length % 2];
            }
            System.out.println(last.length);
        }
    }
}
