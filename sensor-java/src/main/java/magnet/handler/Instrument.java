// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import java.util.Map;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.summary.Windowed;

/** What a handler records, over the trailing window. For one thread. */
interface Instrument extends Windowed {
    /** What it is published as. */
    List<Metric> metrics();

    /** Puts in what the window holds. */
    void put(MetricSnapshot.Builder snapshot);

    /** What came in since the handler began, by a word that says what. */
    Map<String, Object> totals();
}
