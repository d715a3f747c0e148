// SPDX-License-Identifier: Apache-2.0
/** Signed datagrams between the command {@code magnet cluster} and the nodes: their form, their key, what is refused. */
@NullMarked
package magnet.cluster.wire;

import org.jspecify.annotations.NullMarked;
