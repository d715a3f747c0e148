// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AckTextTest {
    @Test
    void shouldSayFieldsAgain() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("node", "n1");
        fields.put("reason", "a=b");
        fields.put("empty", "");

        assertThat(AckText.parse(AckText.of(fields))).isEqualTo(fields);
    }

    @Test
    void shouldKeepAFieldOnItsLine() {
        assertThat(AckText.parse(AckText.of(Map.of("reason", "one\nnode=n2"))))
                .isEqualTo(Map.of("reason", "one node=n2"));
    }

    @Test
    void shouldHandNoOrdersToATerminal() {
        assertThat(AckText.parse("node=\u001b[2Jn1\u0007")).isEqualTo(Map.of("node", "?[2Jn1?"));
    }

    @Test
    void shouldLeaveOutWhatFindsNoRoom() {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < 200; i++) {
            fields.put("run" + i, "grün");
        }
        String text = AckText.of(fields);

        assertThat(text.getBytes(StandardCharsets.UTF_8).length)
                .isBetween(DatagramForm.TEXT_MOST - 20, DatagramForm.TEXT_MOST);
        assertThat(AckText.parse(text)).containsEntry("run0", "grün").hasSizeGreaterThan(50);
    }
}
