// SPDX-License-Identifier: Apache-2.0
/**
 * This machine and this process, as /proc and /sys tell of them. What is asked here may take long: it is the conductor's to
 * ask.
 */
@NullMarked
package magnet.machine;

import org.jspecify.annotations.NullMarked;
