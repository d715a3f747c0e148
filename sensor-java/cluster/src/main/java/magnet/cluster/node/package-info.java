// SPDX-License-Identifier: Apache-2.0
/** The node daemon {@code magnet-node}: it hears orders, and does what its own configuration allows. */
@NullMarked
package magnet.cluster.node;

import org.jspecify.annotations.NullMarked;
