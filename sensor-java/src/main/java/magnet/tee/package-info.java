// SPDX-License-Identifier: Apache-2.0
/** Files of what the collector handed over, and of what was made of it, so that every published number can be computed again. */
@NullMarked
package magnet.tee;

import org.jspecify.annotations.NullMarked;
