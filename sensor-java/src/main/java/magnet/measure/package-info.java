// SPDX-License-Identifier: Apache-2.0
/**
 * The measuring core: points that log into a buffer, a collector that reads it, a summary with windows, and the conductor
 * that does for the collector whatever may take long. One beginning, one change, one end, for whoever measures.
 */
@NullMarked
package magnet.measure;

import org.jspecify.annotations.NullMarked;
