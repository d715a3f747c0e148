// SPDX-License-Identifier: Apache-2.0
/** Puts the traces of a run on one clock: bounds by the packets that both ends have recorded. */
@NullMarked
package magnet.cluster.sync;

import org.jspecify.annotations.NullMarked;
