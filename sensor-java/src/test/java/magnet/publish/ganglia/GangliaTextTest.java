// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GangliaTextTest {

    @ParameterizedTest
    @CsvSource({
        "magnet_sched_wait_p99, magnet_sched_wait_p99",
        "io/s, io_s",
        "a b:c, a_b_c",
        "x<y>&z, x_y__z",
        "caf\u00e9, caf_",
        "disk.sda-1, disk.sda-1",
        "load_report, load",
        "load_report_report, load",
        "_report, _",
        "'', _",
        "., _.",
        ".., _.."
    })
    void shouldGiveASafeFileNameWhenGivenAnyName(String raw, String name) {
        assertThat(GangliaText.name(raw)).isEqualTo(name);
    }

    @Test
    void shouldStillNotBeAReportWhenANameWasCut() {
        String name = GangliaText.name("x".repeat(93) + "_report_and_more");
        assertThat(name).isEqualTo("x".repeat(93));
    }

    @Test
    void shouldReplaceWhatBreaksXmlWhenGivenAnyText() {
        assertThat(GangliaText.text("a < b & \"c\" > 'd' \u00b5s\n\t\u0001~", 100))
                .isEqualTo("a   b    c     d   s   ~");
        assertThat(GangliaText.text("abcdef", 3)).isEqualTo("abc");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 3, 0",
        "-0.0, 3, 0",
        "0.0004, 3, 0",
        "-0.0004, 3, 0",
        "0.0005, 3, 0.001",
        "1.25, 3, 1.25",
        "12, 3, 12",
        "1200, 0, 1200",
        "1.5, 0, 2",
        "1e-300, 6, 0",
        "1.0E200, 3, 999999999999999",
        "-1.0E200, 3, -999999999999999",
        "1e15, 0, 999999999999999",
        "999999999999999.9, 0, 999999999999999",
        "123456789012.3456, 3, 123456789012.346",
        "NaN, 3, 0",
        "Infinity, 3, 0",
        "-Infinity, 3, 0"
    })
    void shouldWriteFixedNotationWhenGivenAnyNumber(double value, int decimals, String text) {
        assertThat(GangliaText.number(value, decimals)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22})
    void shouldStayInWhatGmetadBearsWhenNumbersAreRandom(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            String text = GangliaText.number(value, random.nextInt(10));
            assertThat(text).as("%s, seed %s", value, seed).matches("-?(0|[1-9]\\d{0,14})(\\.\\d{1,9})?");
            assertThat(new BigDecimal(text).abs()).isLessThan(new BigDecimal("1e15"));
        }
    }

    @Test
    void shouldUseAPointWhenTheLocaleHasAComma() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(GangliaText.number(1234.5, 3)).isEqualTo("1234.5");
        } finally {
            Locale.setDefault(before);
        }
    }
}
