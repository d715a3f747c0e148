// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code magnet}: what the module is doing, which points there are, records as they happen, and the
 * way to unload it. Prints for people and for programs; what goes wrong is one line and an exit code.
 */
@NullMarked
package magnet.cli;

import org.jspecify.annotations.NullMarked;
