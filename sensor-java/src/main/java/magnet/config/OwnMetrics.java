// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.List;
import magnet.metric.Metric;

/** Tells what declared handlers publish, for what the configuration may say of it. */
@FunctionalInterface
public interface OwnMetrics {
    /** Nothing is known of them. */
    OwnMetrics UNKNOWN = sections -> List.of();

    /**
     * Their metrics.
     *
     * @throws ConfigException if a section cannot be used; says where and why
     */
    List<Metric> of(List<HandlerConfig> sections) throws ConfigException;
}
