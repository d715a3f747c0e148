// SPDX-License-Identifier: Apache-2.0
package magnet.service;

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

    @Test
    void shouldEscapeWhenTextHasWhatJsonReserves() {
        assertThat(Json.of("a\"b\\c\n\u0001\u00e9")).isEqualTo("\"a\\\"b\\\\c\\u000a\\u0001\u00e9\"");
    }
}
