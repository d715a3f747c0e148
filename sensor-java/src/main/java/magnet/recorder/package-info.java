// SPDX-License-Identifier: Apache-2.0
/**
 * Flight recorders: what the kernel has of them, and what they hold saved as traces, by whoever asks: a command, a
 * condition that begins to hold, an urgent event.
 */
@NullMarked
package magnet.recorder;

import org.jspecify.annotations.NullMarked;
