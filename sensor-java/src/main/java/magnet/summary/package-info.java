// SPDX-License-Identifier: Apache-2.0
/**
 * Turns records into windows of metrics: what MUSE calls synthesis. One thread, no allocation per event.
 */
@NullMarked
package magnet.summary;

import org.jspecify.annotations.NullMarked;
