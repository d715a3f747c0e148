// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

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
