// SPDX-License-Identifier: Apache-2.0
/**
 * Speaks to gmond as gmetric does: reads gmond.conf, takes the host's identity and every send channel from it, encodes
 * with gmetric4j's message classes, and resends metadata by time.
 */
@NullMarked
package magnet.publish.ganglia;

import org.jspecify.annotations.NullMarked;
