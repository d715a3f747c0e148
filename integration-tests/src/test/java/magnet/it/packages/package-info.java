// SPDX-License-Identifier: Apache-2.0
/** The packages, used as an admin would on a machine of its own. */
@NullMarked
package magnet.it.packages;

import org.jspecify.annotations.NullMarked;
