// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/operating.md has a remedy for each warning and error of service, commands, module and packages. */
class OperatingDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "operating.md");
    private static final String LITERALS = "((?:\\s*\\+?\\s*\"(?:[^\"\\\\]|\\\\.)*\")+)";
    private static final Pattern LOGGED = Pattern.compile("LOGGER\\.(?:warn|error)\\(" + LITERALS);
    private static final Pattern LAST_WORDS =
            Pattern.compile("new ServiceException\\(\\s*ExitCode\\.\\w+,[^\";]*" + LITERALS);
    private static final Pattern TOLD = Pattern.compile(
            "(?:new (?:Failure|AnswerException|TraceFormatException)|world\\.tell)\\([^\";]*" + LITERALS);
    /** A line of a script that begins with who says it. */
    private static final Pattern ECHOED =
            Pattern.compile("(?m)^ *(?:echo \")?(?:\\$name|magnet-[a-z-]+):( [^\"\\\\\\n]*)");

    /** As the guard of the module says it, up to what differs. */
    private static final Pattern SAID = Pattern.compile("(?m)^ *say \"([^\"$\\n]*)");

    private static final Pattern KERNEL_LOG = Pattern.compile("pr_(?:warn|err)\\(" + LITERALS);

    /** Without what is not part of it. */
    private static final String MODULE_SOURCES = "(?!.*/(tools|tests|samples)/)(?!.*\\.mod\\.c).*\\.c";

    /** As much of a message as tells it from others, where the document shortens it. */
    private static final int ENOUGH = 32;
    /** What has no words of its own says what an exception says. */
    private static final int LEAST = 6;

    @Test
    void shouldHaveEachMessageOfTheService() throws IOException {
        List<String> messages = messages("src/main/java/magnet", "[^.]+\\.java", LOGGED, LAST_WORDS);

        assertThat(messages).hasSizeGreaterThan(25);
        assertDocumented(messages);
    }

    @Test
    void shouldHaveEachMessageOfTheModule() throws IOException {
        List<String> messages = messages("../sensor-kmod", MODULE_SOURCES, KERNEL_LOG);

        assertThat(messages).hasSizeGreaterThan(8);
        assertDocumented(messages);
    }

    @Test
    void shouldHaveEachMessageOfTheCommands() throws IOException {
        List<String> messages = messages("src/main/java/magnet", "[^.]+\\.java", TOLD);

        assertThat(messages).hasSizeGreaterThan(20);
        assertDocumented(messages);
    }

    @Test
    void shouldHaveEachMessageOfThePackages() throws IOException {
        List<String> messages = new ArrayList<>(messages(
                "../packaging", ".*/(debian/.*\\.(postinst|prerm|postrm)|rpm/.*\\.spec|module/.*\\.sh)", ECHOED));
        messages.addAll(messages("../packaging", ".*/module-guard", SAID));
        messages.addAll(messages("bin", ".*", ECHOED));

        assertThat(messages).hasSizeGreaterThan(8);
        assertDocumented(messages);
    }

    private static void assertDocumented(List<String> messages) throws IOException {
        String document = Files.readString(DOCUMENT);
        assertThat(messages).filteredOn(message -> !document.contains(message)).isEmpty();
    }

    private static List<String> messages(String folder, String names, Pattern... patterns) throws IOException {
        Pattern wanted = Pattern.compile(names);
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> wanted.matcher(file.toString()).matches())
                    .flatMap(file -> Arrays.stream(patterns).flatMap(pattern -> found(pattern, file)))
                    .toList();
        }
    }

    private static Stream<String> found(Pattern pattern, Path file) {
        try {
            Matcher matcher = pattern.matcher(Files.readString(file));
            return matcher
                    .results()
                    .map(each -> firstWords(each.group(1)))
                    .filter(words -> !words.isEmpty())
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first words between two values, or the beginning of them; empty if there are none. */
    private static String firstWords(String literals) {
        String text = literals.replaceAll("\"\\s*\\+?\\s*\"", "")
                .replaceAll("^\\s*\"|\"\\s*$", "")
                .replace("\\n", "");
        return Arrays.stream(text.split("\\{\\}|%-?\\w+|\\$\\w+|\\$\\(", -1))
                .map(part -> part.strip().replaceAll("^[;:,] *", ""))
                .filter(part -> part.length() >= LEAST)
                .findFirst()
                .map(part -> part.substring(0, Math.min(ENOUGH, part.length())).strip())
                .orElse("");
    }
}
