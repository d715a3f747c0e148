// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import magnet.config.HandlerChoice;
import magnet.config.HandlerKey;
import magnet.spi.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in docs/handlers.md work as they stand there. */
class HandlersDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "handlers.md");

    @TempDir
    private Path folder;

    @Test
    void shouldDeclareWhatTheExampleDeclares() throws Exception {
        assertThat(Sections.definitions(block("ini")))
                .extracting(HandlerDefinition::name)
                .containsExactly("reads", "large_reads");
    }

    @Test
    void shouldCompileAndLoadTheExample() throws Exception {
        new ProviderSources()
                .file("Opens", block("java"))
                .service(Handler.class, "com.example.Opens")
                .jar(folder.resolve("opens.jar"));
        try (HandlerCatalog catalog = new HandlerCatalog()) {
            HandlerCatalog.Found found = catalog.look(new HandlerChoice(Optional.of(folder), Sections.of("")));
            assertThat(found.failed()).isEmpty();
            OwnHandler handler = OwnHandler.begin(
                    found.candidates().get(0),
                    (index, point) -> PointFormats.of(point, 0x400, "opens"),
                    new OwnHandler.Scale(1, 5, true));
            assertThat(handler.metrics())
                    .extracting(metric -> metric.name())
                    .containsExactly("magnet_opens_scratch_rate", "magnet_opens_home_rate");
        }
    }

    @Test
    void shouldDescribeEveryKeyAndMetric() throws IOException {
        String text = Files.readString(DOCUMENT);
        assertThat(Arrays.stream(HandlerKey.values()).map(HandlerKey::key))
                .allSatisfy(key -> assertThat(text).containsPattern("(?m)^\\|.*`" + key + "`"));
        assertThat(magnet.metric.HandlerMetrics.all())
                .allSatisfy(metric -> assertThat(text).contains("| `" + metric.name() + "` | " + metric.unit() + " |"));
    }

    private static String block(String language) throws IOException {
        String text = Files.readString(DOCUMENT);
        int from = text.indexOf("```" + language + "\n") + language.length() + 4;
        return text.substring(from, text.indexOf("```", from));
    }
}
