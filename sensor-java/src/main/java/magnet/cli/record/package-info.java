// SPDX-License-Identifier: Apache-2.0
/** {@code magnet record}: flight recorders, which go on in the kernel when the command has ended. */
@NullMarked
package magnet.cli.record;

import org.jspecify.annotations.NullMarked;
