// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.testing.UapiHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program in C that saves traces, and the documents, have the words that the service has. */
final class WordsAgreementTest {
    private static final Path WRITER = Path.of("..", "sensor-kmod", "tools", "metadata.c");
    private static final Path DOCUMENT = Path.of("..", "docs", "record-format.md");
    private static final Pattern WORD = Pattern.compile("\\{ (\\w+), \"([\\w-]+)\" }");

    @ParameterizedTest
    @CsvSource({
        "task_states, TASK_STATE",
        "families, FAMILY",
        "protocols, PROTOCOL",
        "ethertypes, ETHERTYPE",
        "irq_returns, IRQ_RETURN",
        "cpu_modes, CPU_MODE",
        "attaches, ATTACH",
    })
    void shouldBeThoseOfTheWriterInC(String table, WordKind kind) throws IOException {
        Map<Long, String> written = table(table);
        assertThat(written.entrySet())
                .as("in the same order")
                .containsExactlyElementsOf(Words.common().of(kind).entrySet());
    }

    @Test
    void shouldKnowOfEachKindWhatTheFieldsOfItAreMadeOf() throws IOException {
        String writer = Files.readString(WRITER);
        for (WordKind kind : WordKind.values()) {
            PayloadField.Type field = kind.field();
            if (field != null) {
                assertThat(writer).contains("{ \"" + kind.label() + "\", \"u" + field.size() * Byte.SIZE + "\", ");
            }
        }
    }

    @Test
    void shouldBeInTheDocument() throws IOException {
        String document = Files.readString(DOCUMENT);
        for (String state : Words.common().of(WordKind.TASK_STATE).values()) {
            assertThat(document).contains("\n| `" + state + "` | ");
        }
        for (WordKind kind : new WordKind[] {
            WordKind.FAMILY, WordKind.ETHERTYPE, WordKind.IRQ_RETURN, WordKind.CPU_MODE, WordKind.ATTACH
        }) {
            for (String word : Words.common().of(kind).values()) {
                assertThat(document).as(kind.label()).contains("`" + word + "`");
            }
        }
    }

    /** {@code { 0x1, "sleeping" }}, or a constant of the header in place of the number. */
    private static Map<Long, String> table(String name) throws IOException {
        String text = Files.readString(WRITER);
        int begin = text.indexOf(" " + name + "[] = {");
        assertThat(begin).as(name).isPositive();
        Matcher word = WORD.matcher(text.substring(begin, text.indexOf("};", begin)));
        UapiHeader header = UapiHeader.read();
        Map<Long, String> table = new LinkedHashMap<>();
        while (word.find()) {
            String number = word.group(1);
            table.put(Character.isDigit(number.charAt(0)) ? Long.decode(number) : header.value(number), word.group(2));
        }
        return table;
    }
}
