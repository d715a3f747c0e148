// SPDX-License-Identifier: Apache-2.0
/** A real Slurm in a guest, and its jobs. */
@NullMarked
package magnet.it.slurm;

import org.jspecify.annotations.NullMarked;
