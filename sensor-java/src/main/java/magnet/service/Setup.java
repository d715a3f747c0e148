// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.time.Duration;
import magnet.config.MagnetConfig;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.SendChannel;
import magnet.publish.ganglia.SensorModule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that a run is set up by. Immutable.
 *
 * @param magnet what magnet.conf and the params of gmond.conf's module magnet decide
 * @param gmond what gmond.conf says otherwise
 */
public record Setup(MagnetConfig magnet, GmondConfig gmond) {
    private static final Logger LOGGER = LoggerFactory.getLogger(Setup.class);
    /** The time between two polls of gmetad, which keeps one value of each. */
    private static final Duration POLL = Duration.ofSeconds(15);

    /** Whether there shall be a run at all: unless gmond.conf's module magnet says no. */
    public boolean enabled() {
        return gmond.module().map(SensorModule::enabled).orElse(true);
    }

    /** Says what may not be meant so. */
    void warn() {
        if (gmond.fallback()) {
            SendChannel channel = gmond.channels().get(0);
            LOGGER.warn("no {}: sending to {}, as gmetric does", magnet.gmondConf(), channel);
        }
        if (gmond.mute()) {
            LOGGER.warn(
                    "{} has mute = yes, which is for gmond itself: metrics are sent all the same", magnet.gmondConf());
        }
        if (magnet.window().compareTo(POLL.plus(magnet.publishInterval())) < 0) {
            LOGGER.warn(
                    "a window of {} s is shorter than gmetad's {} s between two polls and an interval of {} s: spikes"
                            + " may fall between two polls",
                    magnet.window().toSeconds(),
                    POLL.toSeconds(),
                    magnet.publishInterval().toSeconds());
        }
    }
}
