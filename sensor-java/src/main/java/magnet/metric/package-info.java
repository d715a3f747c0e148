// SPDX-License-Identifier: Apache-2.0
/**
 * What magnet publishes: every metric's name, unit, help, group and slope, in one place, and the
 * immutable snapshot that carries their values to the sinks.
 */
@NullMarked
package magnet.metric;

import org.jspecify.annotations.NullMarked;
