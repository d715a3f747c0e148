// SPDX-License-Identifier: Apache-2.0
/** Sinks that carry metric snapshots to frontends, each on a thread of its own so that none holds up the collector. */
@NullMarked
package magnet.publish;

import org.jspecify.annotations.NullMarked;
