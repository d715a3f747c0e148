// SPDX-License-Identifier: Apache-2.0
/** The page of {@code magnet view}: a server on the loopback address, what it answers, and how the answers look. */
@NullMarked
package magnet.cluster.view.page;

import org.jspecify.annotations.NullMarked;
