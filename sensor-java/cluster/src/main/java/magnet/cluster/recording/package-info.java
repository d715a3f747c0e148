// SPDX-License-Identifier: Apache-2.0
/** Recordings of a node that begin and end at instants agreed on beforehand: profiles, runs, the traces that come of them. */
@NullMarked
package magnet.cluster.recording;

import org.jspecify.annotations.NullMarked;
