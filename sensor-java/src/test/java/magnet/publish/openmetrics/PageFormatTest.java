// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageFormatTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OPENMETRICS | application/openmetrics-text",
                "OPENMETRICS | Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8",
                "OPENMETRICS | application/openmetrics-text;version=\"0.0.1\",text/plain;q=0.5,*/*;q=0.1",
                "OPENMETRICS | application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
                        + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
                        + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
                "PROMETHEUS | application/openmetrics-text;q=0.4,text/plain;q=0.5",
                "PROMETHEUS | application/openmetrics-text;q=0",
                "PROMETHEUS | application/openmetrics-text;q=much",
                "PROMETHEUS | application/openmetrics-text;version=2.0.0",
                "PROMETHEUS | text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                "PROMETHEUS | */*",
                "PROMETHEUS | ,;,=;q",
                "PROMETHEUS | ''"
            })
    void shouldAnswerAsAsked(PageFormat format, String accept) {
        assertThat(PageFormat.accepted(List.of(accept))).isEqualTo(format);
    }

    @Test
    void shouldJoinWhatSeveralHeadersSay() {
        assertThat(PageFormat.accepted(List.of("text/plain;q=0.5", "application/openmetrics-text;q=0.6")))
                .isEqualTo(PageFormat.OPENMETRICS);
        assertThat(PageFormat.accepted(List.of())).isEqualTo(PageFormat.PROMETHEUS);
    }

    @Test
    void shouldNameItsTypeAndVersion() {
        assertThat(PageFormat.OPENMETRICS.contentType())
                .isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(PageFormat.PROMETHEUS.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    }
}
