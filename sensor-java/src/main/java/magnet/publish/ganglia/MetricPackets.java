// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import magnet.metric.Metric;

/**
 * A metric's two packets, every text in them made safe. For one thread; every returned buffer is valid until the next
 * call.
 */
final class MetricPackets {
    private final HostIdentity identity;
    private final PacketEncoder encoder;
    private final int tmaxSeconds;
    private final int dmaxSeconds;

    /**
     * @param identity the host that gmond shall book them to
     * @param tmaxSeconds longest time between two values
     * @param dmaxSeconds time after the last metadata at which gmond forgets a metric
     */
    MetricPackets(HostIdentity identity, int tmaxSeconds, int dmaxSeconds) {
        this.identity = identity;
        this.encoder = new PacketEncoder(identity);
        this.tmaxSeconds = tmaxSeconds;
        this.dmaxSeconds = dmaxSeconds;
    }

    /** What the metric is. */
    ByteBuffer metadata(Metric metric) {
        List<ExtraElement> extra = new ArrayList<>();
        if (identity.spoof()) {
            extra.add(new ExtraElement("SPOOF_HOST", identity.host()));
        }
        extra.add(new ExtraElement("GROUP", GangliaText.text(metric.shownIn(), GangliaText.SHORT_MAX)));
        extra.add(new ExtraElement("DESC", GangliaText.text(metric.description(), GangliaText.DESCRIPTION_MAX)));
        extra.add(new ExtraElement("TITLE", GangliaText.text(metric.title(), GangliaText.SHORT_MAX)));
        return encoder.metadata(
                GangliaText.name(metric.name()),
                metric.type().word(),
                GangliaText.text(metric.unit(), GangliaText.SHORT_MAX),
                metric.slope().wire(),
                tmaxSeconds,
                dmaxSeconds,
                extra);
    }

    /** What it is now. */
    ByteBuffer value(Metric metric, double value) {
        return encoder.value(GangliaText.name(metric.name()), GangliaText.number(value, metric.decimals()));
    }

    /** What it is now, if it is a text. */
    ByteBuffer value(Metric metric, String text) {
        return encoder.value(GangliaText.name(metric.name()), GangliaText.text(text, GangliaText.SHORT_MAX));
    }
}
