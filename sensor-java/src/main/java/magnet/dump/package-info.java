// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as tcpdump shows them, with their journey through the kernel: filter expressions and the kernel's rules for them,
 * the join of what the points tell, lines, and pcapng files. No system calls but of files.
 */
@NullMarked
package magnet.dump;

import org.jspecify.annotations.NullMarked;
