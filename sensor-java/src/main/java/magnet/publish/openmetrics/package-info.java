// SPDX-License-Identifier: Apache-2.0
/** The newest snapshot as a page that Prometheus and its like fetch: OpenMetrics, or Prometheus' own older text format. */
@NullMarked
package magnet.publish.openmetrics;

import org.jspecify.annotations.NullMarked;
