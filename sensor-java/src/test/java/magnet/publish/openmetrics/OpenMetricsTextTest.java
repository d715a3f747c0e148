// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests' own reader refuses what the format does not allow. */
class OpenMetricsTextTest {
    private static final String HEAD = "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n# HELP a_seconds A.\n";
    private static final String GOOD = HEAD + "a_seconds 1.5\n# TYPE b gauge\n# HELP b B \\\\ \\n \\\".\n"
            + "b{x=\"1\",y=\"\\\"\\\\\\n\"} -2E-6\nb{x=\"2\",y=\"}\"} 3\n# EOF\n";

    @Test
    void shouldReadWhatIsAllowed() {
        Map<String, OpenMetricsText.Family> families = OpenMetricsText.parse(bytes(GOOD));
        assertThat(families).containsOnlyKeys("a_seconds", "b");
        assertThat(families.get("a_seconds").value()).isEqualTo("1.5");
        assertThat(families.get("a_seconds").unit()).isEqualTo("seconds");
        assertThat(families.get("b").help()).isEqualTo("B \\ \n \".");
        assertThat(families.get("b").samples())
                .containsExactly(
                        Map.entry(Map.of("x", "1", "y", "\"\\\n"), new BigDecimal("-2E-6")),
                        Map.entry(Map.of("x", "2", "y", "}"), new BigDecimal("3")));
    }

    static List<String> refused() {
        return List.of(
                "",
                "a 1\n# EOF\n",
                GOOD.replace("# EOF\n", ""),
                GOOD.replace("# EOF\n", "# EOF"),
                GOOD + "\n",
                GOOD.replace("# EOF\n", "\n# EOF\n"),
                GOOD.replace("# EOF\n", "# comment\n# EOF\n"),
                GOOD.replace("# EOF\n", "a_seconds{x=\"1\"} 2\n# EOF\n"),
                GOOD.replace("# EOF\n", "# HELP a_seconds A.\n# EOF\n"),
                GOOD.replace("# EOF\n", "# TYPE b_total gauge\n# HELP b_total B.\nb_total 1\n# EOF\n"),
                GOOD.replace("# EOF\n", "b{x=\"1\",y=\"\\\"\\\\\\n\"} 7\n# EOF\n"),
                GOOD.replace("UNIT a_seconds seconds", "UNIT a_seconds bytes"),
                GOOD.replace("TYPE b gauge", "TYPE b counter"),
                GOOD.replace("# TYPE b gauge\n", ""),
                GOOD.replace("# HELP a_seconds A.\n", "# HELP a_seconds A.\n# HELP a_seconds A.\n"),
                GOOD.replace("b{x", "b {x"),
                GOOD.replace("y=\"}\"", "y=\"\\t\""),
                GOOD.replace("y=\"}\"", "y=\"\"\""),
                GOOD.replace("y=\"}\"", "x=\"3\""),
                GOOD.replace("y=\"}\"", "__y=\"3\""),
                GOOD.replace("y=\"}\"", "le=\"3\""),
                GOOD.replace("1.5", "1,5"),
                GOOD.replace("1.5", ""),
                GOOD.replace("a_seconds 1.5", "a-seconds 1.5"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldRefuseWhatIsNot(String page) {
        assertThatThrownBy(() -> OpenMetricsText.parse(bytes(page))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseWhatIsNotUtf8() {
        assertThatThrownBy(
                        () -> OpenMetricsText.parse(GOOD.replace("A.", "\u00c4").getBytes(StandardCharsets.ISO_8859_1)))
                .hasMessage("not UTF-8");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
