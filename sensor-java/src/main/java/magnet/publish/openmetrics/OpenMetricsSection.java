// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.SinkSection;

/** {@code openmetrics} of {@code [publish]}: the loopback address on which the newest publication can be fetched. */
public final class OpenMetricsSection implements SinkSection<InetSocketAddress> {
    private static final ConfigKey ADDRESS = new ConfigKey(
            "publish",
            "openmetrics",
            "",
            "a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9464 or [::1]:9464, or"
                    + " nothing");

    @Override
    public List<ConfigKey> keys() {
        return List.of(ADDRESS);
    }

    @Override
    public Optional<InetSocketAddress> read(ConfigTexts texts) throws ConfigException {
        return texts.loopback(ADDRESS);
    }

    @Override
    public Class<InetSocketAddress> type() {
        return InetSocketAddress.class;
    }

    @Override
    public String describe(InetSocketAddress address) {
        return "shows what it publishes at " + OpenMetricsSink.url(address);
    }
}
