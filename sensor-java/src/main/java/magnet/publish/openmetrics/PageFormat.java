// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** How a page can be written. Immutable. */
// The checker does not know that the library's writers hold two flags and nothing else.
@SuppressWarnings("ImmutableEnumChecker")
enum PageFormat {
    /** OpenMetrics 1.0. */
    OPENMETRICS(OpenMetricsTextFormatWriter.create()),
    /** Prometheus' text format 0.0.4, which people read, too. */
    PROMETHEUS(PrometheusTextFormatWriter.create());

    private static final String OPENMETRICS_TYPE = "application/openmetrics-text";
    private static final List<String> OPENMETRICS_VERSIONS = List.of("", "0.0.1", "1.0.0");
    private static final List<String> TEXT_TYPES = List.of("text/plain", "text/*", "*/*");

    private final ExpositionFormatWriter writer;

    PageFormat(ExpositionFormatWriter writer) {
        this.writer = writer;
    }

    String contentType() {
        return writer.getContentType();
    }

    byte[] encode(MetricSnapshots snapshots) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writer.write(bytes, snapshots, EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * The one to answer with: OpenMetrics where it is asked for by name, and no less liked than text.
     *
     * @param accept the values of the request's Accept headers; what cannot be understood counts as not asked for
     */
    static PageFormat accepted(List<String> accept) {
        double openMetrics = 0;
        double text = 0;
        for (String range : String.join(",", accept).toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = range.split(";", -1);
            String type = parts[0].strip();
            if (type.equals(OPENMETRICS_TYPE) && OPENMETRICS_VERSIONS.contains(parameter(parts, "version"))) {
                openMetrics = Math.max(openMetrics, quality(parts));
            } else if (TEXT_TYPES.contains(type)) {
                text = Math.max(text, quality(parts));
            }
        }
        return openMetrics > 0 && openMetrics >= text ? OPENMETRICS : PROMETHEUS;
    }

    private static double quality(String[] parts) {
        String quality = parameter(parts, "q");
        try {
            return quality.isEmpty() ? 1 : Double.parseDouble(quality);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** A parameter of a media range, such as {@code q=0.5}; empty if it is not given. */
    private static String parameter(String[] parts, String name) {
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals >= 0 && parts[i].substring(0, equals).strip().equals(name)) {
                return parts[i].substring(equals + 1).strip().replace("\"", "");
            }
        }
        return "";
    }
}
