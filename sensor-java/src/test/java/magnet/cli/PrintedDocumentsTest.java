// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.adapt.Condition;
import magnet.cli.world.ReadOn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Texts that are printed name documents where the reader has them, and not where the source tree has them. */
final class PrintedDocumentsTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    /** In a text, and not behind the folder of an installation. */
    private static final Pattern BARE =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*(?<![\\w/}-])docs/[a-z](?:[^\"\\\\]|\\\\.)*\"");
    /** Texts of the tree's own documents. */
    private static final Set<String> OF_THE_TREE = Set.of("CommandsDocument.java", "MetricsDocument.java");

    @AfterEach
    void forgetPackage() {
        System.clearProperty("magnet.docs");
    }

    @Test
    void shouldNameNoDocumentAsInTheTree() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> sources = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !OF_THE_TREE.contains(file.getFileName().toString()))
                    .toList();
            assertThat(sources).hasSizeGreaterThan(300);
            for (Path source : sources) {
                assertThat(Files.readAllLines(source).stream()
                                .filter(line -> BARE.matcher(line).find()))
                        .as("%s", source)
                        .isEmpty();
            }
        }
    }

    @Test
    void shouldNameDocumentsOfThePackageInMessages() {
        assertThatThrownBy(() -> Condition.when("nothing_of_the_kind > 1")).hasMessageContaining("; docs/metrics.md");
        System.setProperty("magnet.docs", ReadOn.PACKAGED);
        assertThatThrownBy(() -> Condition.when("nothing_of_the_kind > 1"))
                .hasMessageContaining("; " + ReadOn.PACKAGED + "/metrics.md lists them");
    }
}
