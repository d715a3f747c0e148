// SPDX-License-Identifier: Apache-2.0
/**
 * Measures what an event costs on this machine, for each way in which the kernel gets to a probe: the MAGNET paper's
 * Table 2. One point at a time, on a system call of this process; every event that was measured is counted.
 */
@NullMarked
package magnet.bench;

import org.jspecify.annotations.NullMarked;
