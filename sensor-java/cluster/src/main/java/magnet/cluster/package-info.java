// SPDX-License-Identifier: Apache-2.0
/** What acts on a whole cluster, as the package magnet-cluster brings it. */
@NullMarked
package magnet.cluster;

import org.jspecify.annotations.NullMarked;
