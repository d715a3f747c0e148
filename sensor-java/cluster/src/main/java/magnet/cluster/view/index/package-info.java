// SPDX-License-Identifier: Apache-2.0
/** What recorded traces look like at every zoom: lanes of slices in mapped files, and exact answers about any time of them. */
@NullMarked
package magnet.cluster.view.index;

import org.jspecify.annotations.NullMarked;
