// SPDX-License-Identifier: Apache-2.0
/** The module's own test programs, and its life cycle, on a real kernel. */
@NullMarked
package magnet.it.kmod;

import org.jspecify.annotations.NullMarked;
