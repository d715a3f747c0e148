// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import magnet.handler.ProviderSources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in docs/adapt.md work as they stand there. */
final class AdaptDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "adapt.md");

    @TempDir
    private Path folder;

    @Test
    void shouldCompileTheExample() throws IOException {
        String text = Files.readString(DOCUMENT);
        int from = text.indexOf("```java\n") + 8;
        Path jar = new ProviderSources()
                .file("Batches", text.substring(from, text.indexOf("```", from)))
                .jar(folder.resolve("batches.jar"));
        assertThat(jar).isNotEmptyFile();
    }

    @Test
    void shouldNameConditionsThatThereAre() throws IOException {
        List<String> conditions = Pattern.compile("(?:--when '|when\\(\")([^'\"]+)['\"]")
                .matcher(Files.readString(DOCUMENT))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(conditions).hasSizeGreaterThanOrEqualTo(3).allSatisfy(Condition::when);
    }
}
