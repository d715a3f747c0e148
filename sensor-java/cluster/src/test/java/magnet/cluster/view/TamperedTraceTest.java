// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import magnet.cluster.view.page.Picture;
import magnet.cluster.view.page.View;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces that somebody has changed may have any contents: what comes of them is a picture, or one line. */
final class TamperedTraceTest {
    private static final int ROUNDS = 25;

    @TempDir
    private Path folder;

    private Path run;
    private List<Path> files;
    private List<byte[]> whole;

    @BeforeEach
    void write() throws IOException {
        run = folder.resolve("run");
        MadeUpRun.write(run, 1);
        try (Stream<Path> all = Files.walk(run)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        whole = files.stream().map(TamperedTraceTest::bytes).toList();
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void change(Random random) throws IOException {
        for (int i = 0; i < files.size(); i++) {
            byte[] bytes = whole.get(i).clone();
            int changes = random.nextInt(40);
            for (int change = 0; change < changes && bytes.length > 0; change++) {
                int at = random.nextInt(bytes.length);
                // Single bytes, and whole numbers that are as large as can be.
                int length = random.nextInt(4) == 0 ? Math.min(8, bytes.length - at) : 1;
                for (int k = 0; k < length; k++) {
                    bytes[at + k] = (byte) (length == 1 ? random.nextInt() : 0x7f);
                }
            }
            Files.write(files.get(i), bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldEndInAPictureOrALine(long seed) throws IOException {
        Random random = new Random(seed);
        int pictures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            change(random);
            PrintingWorld world = new PrintingWorld(folder);
            Path at = Files.createDirectory(folder.resolve("index" + round));
            try {
                View view = new RunOpening(world.world(), "").open(List.of(run), at);
                try (var index = view.index()) {
                    assertThat(Picture.svg(view, 200)).endsWith("</svg>\n");
                    assertThat(index.endNs()).isPositive();
                    pictures++;
                }
            } catch (IOException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
            assertThat(at).doesNotExist();
        }
        assertThat(pictures).isPositive();
    }
}
