// SPDX-License-Identifier: Apache-2.0
package magnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each link between the documents of the tree leads to a file that is there, and to a heading that is there. */
final class DocumentLinksTest {
    private static final Path TREE = Path.of("..");
    private static final Path DOCS = TREE.resolve("docs");
    private static final List<String> OTHERS = List.of(
            "README.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "gmond-conf/README.md",
            "packaging/README.md",
            "integration-tests/README.md",
            "sensor-kmod/tests/README.md");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void shouldLeadSomewhere() throws IOException {
        List<String> links = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            for (String link : links(document)) {
                links.add(link);
                if (!leadsSomewhere(document, link)) {
                    broken.add(TREE.relativize(document) + ": " + link);
                }
            }
        }

        assertThat(links).hasSizeGreaterThan(200);
        assertThat(broken).isEmpty();
    }

    @Test
    void shouldListEachDocumentInIndex() throws IOException {
        Path index = DOCS.resolve("README.md");
        List<String> listed = links(index);

        assertThat(documents())
                .filteredOn(document -> document.startsWith(DOCS) && !document.equals(index))
                .isNotEmpty()
                .allMatch(document -> listed.contains(document.getFileName().toString()));
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(DOCS)) {
            return Stream.concat(OTHERS.stream().map(TREE::resolve), docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> links(Path document) {
        return LINK.matcher(text(document))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !ELSEWHERE.matcher(link).matches())
                .toList();
    }

    private static boolean leadsSomewhere(Path document, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    /** What GitHub makes of headings; the second one of a name has a number. */
    private static Set<String> anchors(Path document) {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        for (MatchResult heading : HEADING.matcher(text(document)).results().toList()) {
            String anchor = LINK.matcher(heading.group(1))
                    .replaceAll("")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private static String text(Path document) {
        try {
            return CODE.matcher(Files.readString(document)).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
