// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/**
 * What a handler gets at its begin. Windows, percentiles and publication are the service's business: a handler records
 * values, and what is published describes the trailing window of the configuration.
 *
 * <p>A handler has at most 16 metrics, of which a distribution counts as four.
 */
public interface HandlerSetup {
    /** What events of a point carry; {@code point} is an index into {@link Handler#points()}. */
    Fields fields(int point);

    /** Nanoseconds in a tick of {@link Event#timer()}. */
    double nanosPerTick();

    /**
     * A number over the window, published as {@code magnet_NAME_WHAT_count}.
     *
     * @throws IllegalArgumentException if Ganglia could not take the name or a text, or there is one of this name
     */
    Count count(Description metric);

    /** The same per second, published as {@code magnet_NAME_WHAT_rate}. */
    Count rate(Description metric);

    /**
     * A distribution over the window, published as {@code magnet_NAME_WHAT_p50}, {@code _p95}, {@code _p99} and
     * {@code _max}.
     *
     * @param scale what recorded values are multiplied by when they are published
     */
    Distribution distribution(Description metric, double scale);

    /** A distribution of differences of {@link Event#timer()}, published in microseconds. */
    default Distribution times(Description metric) {
        return distribution(metric, nanosPerTick() / 1_000);
    }
}
