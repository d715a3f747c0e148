// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

    /**
     * What gmond collects and sends by itself although magnet publishes it in its place, or with its time in something
     * else: each name and where it stands.
     */
    public List<String> collectedTwice() {
        List<String> twice = new ArrayList<>();
        if (gmond.mute()) {
            return twice;
        }
        Set<String> names = new TreeSet<>();
        magnet.metrics().replace().forEach(each -> names.addAll(each.gmondsNames()));
        for (String name : names) {
            if (gmond.fallback()) {
                twice.add(name + " (built into gmond)");
            }
            gmond.collected().stream()
                    .filter(each -> each.covers(name))
                    .map(each -> name + " (" + each.file() + ":" + each.line() + ")")
                    .forEach(twice::add);
        }
        return twice;
    }

    /** Says so, in one line. */
    void warnOfCollection() {
        List<String> twice = collectedTwice();
        if (!twice.isEmpty()) {
            LOGGER.warn(
                    "gmond still collects what replace takes the place of: {}; take it out of the collection groups of"
                            + " {}, or both write the same graphs",
                    String.join(", ", twice),
                    magnet.gmondConf());
        }
    }

    /** Says what of gmond.conf cannot be used, a line each. */
    void warnOfGmondConf() {
        gmond.complaints().forEach(line -> LOGGER.warn("{}", line));
    }

    /** Says what may not be meant so. */
    void warn() {
        warnOfCollection();
        warnOfGmondConf();
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
