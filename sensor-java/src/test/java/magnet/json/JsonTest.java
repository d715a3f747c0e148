// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    private static final int LINE = 1_000;
    private static final int WARM_UP = 20_000;
    private static final int LINES = 10_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void shouldWriteEveryKindWhenNested() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("long", 10_007L);
        map.put(7, List.of(1.5, true, "x"));
        map.put("empty", Map.of());
        map.put("none", List.of());
        map.put("nan", Double.NaN);
        assertThat(Json.of(map))
                .isEqualTo("{\"long\": 10007, \"7\": [1.5, true, \"x\"], \"empty\": {}, \"none\": [], \"nan\": null}");
    }

    /** A terminal obeys some characters that JSON may have as they are. */
    @Test
    void shouldEscapeWhenTextHasWhatJsonReservesOrATerminalObeys() {
        assertThat(Json.of("a\"b\\c\n\u0001\u00e9")).isEqualTo("\"a\\\"b\\\\c\\n\\u0001\u00e9\"");
        assertThat(Json.of(Map.of("\u007f", "\u001b[2J\u009b2Jx</y>&='")))
                .isEqualTo("{\"\\u007f\": \"\\u001b[2J\\u009b2Jx</y>&='\"}");
    }

    @Test
    void shouldWriteNumbersAsTheyAre() {
        assertThat(Json.of(List.of(Long.MIN_VALUE, Long.MAX_VALUE, 1e-7, 1e21, -0.0, 0.1f, Double.NEGATIVE_INFINITY)))
                .isEqualTo("[-9223372036854775808, 9223372036854775807, 1.0E-7, 1.0E21, -0.0, 0.1, null]");
    }

    @Test
    void shouldWriteNullWhenANumberIsNotFinite() {
        assertThat(Json.of(List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NaN, Float.NEGATIVE_INFINITY)))
                .isEqualTo("[null, null, null, null]");
    }

    /** UTF-8 cannot hold half a pair, and readers of JSON refuse one that is escaped. */
    @Test
    void shouldReplaceWhenASurrogateIsAlone() {
        String text = "\ud83d\ude00 \ud83d\n\ude00\ud83d\u0085";
        String written = "\"\ud83d\ude00 \ufffd\\n\ufffd\ufffd\\u0085\"";
        assertThat(Json.of(text)).isEqualTo(written);
        StringBuilder line = new StringBuilder();
        new JsonLine().begin(line).text(text, text).end();
        assertThat(line).hasToString("{" + written + ":" + written + "}");
        assertThat(new String(line.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                .isEqualTo(line.toString());
    }

    @Test
    void shouldReadTheSameWhenALineHasEveryCharacter() {
        StringBuilder all = new StringBuilder();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            if (!Character.isSurrogate((char) c)) {
                all.append((char) c);
            }
        }
        StringBuilder line = new StringBuilder();
        new JsonLine().begin(line).text("all", all.toString()).end();
        assertThat(line.chars()).noneMatch(Character::isISOControl);
        assertThat(JsonParser.parseString(line.toString())
                        .getAsJsonObject()
                        .get("all")
                        .getAsString())
                .isEqualTo(all.toString());
    }

    /** What is there per field would otherwise be garbage as soon as the line is printed. */
    @Test
    void shouldAllocateNothingForNamesAndNumbers() {
        JsonLine json = new JsonLine();
        StringBuilder line = new StringBuilder(LINE);
        Runnable write = () -> {
            line.setLength(0);
            json.begin(line).signed("least", Long.MIN_VALUE).unsigned("most", Long.MAX_VALUE);
            json.begin("in").text("text", "words").end().unknown("?").end();
        };
        for (int i = 0; i < WARM_UP; i++) {
            write.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < LINES; i++) {
            write.run();
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(LINES);
    }

    /** As {@code magnet read --json} writes them: one object a line, without spaces. */
    @Test
    void shouldWriteOneObjectAfterTheOtherWithNumbersOf64Bits() {
        JsonLine json = new JsonLine();
        StringBuilder line = new StringBuilder("> ");
        json.begin(line)
                .unsigned("all", -1)
                .signed("least", Long.MIN_VALUE)
                .hex("hex", -1)
                .unknown("?")
                .begin("in")
                .end()
                .text("\u009b", "\"")
                .end();
        assertThat(line)
                .hasToString("> {\"all\":18446744073709551615,\"least\":-9223372036854775808,"
                        + "\"hex\":\"0xffffffffffffffff\",\"?\":null,\"in\":{},\"\\u009b\":\"\\\"\"}");
        StringBuilder next = new StringBuilder();
        json.begin(next).unsigned("n", 1).end();
        assertThat(next).hasToString("{\"n\":1}");
    }
}
