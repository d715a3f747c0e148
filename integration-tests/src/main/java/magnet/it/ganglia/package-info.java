// SPDX-License-Identifier: Apache-2.0
/** A real gmond in a guest, and what its XML says. */
@NullMarked
package magnet.it.ganglia;

import org.jspecify.annotations.NullMarked;
