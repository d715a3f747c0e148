// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "metrics.md");

    @Test
    void shouldEqualTheFileWhenItIsNotStale() throws IOException {
        if (Boolean.getBoolean("magnet.docs.write")) {
            Files.createDirectories(DOCUMENT.getParent());
            Files.writeString(DOCUMENT, MetricsDocument.markdown());
        }
        assertThat(DOCUMENT).hasContent(MetricsDocument.markdown());
    }

    @Test
    void shouldHaveOneRowForEachMetricWhenWritten() {
        for (Metric metric : Metrics.ALL) {
            assertThat(MetricsDocument.markdown()).containsOnlyOnce("| `" + metric.name() + "` |");
        }
    }
}
