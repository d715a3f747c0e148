// SPDX-License-Identifier: Apache-2.0
/**
 * {@code magnet adapt}: commands that are run when a condition on metrics begins to hold, and when it ends.
 */
@NullMarked
package magnet.cli.adapt;

import org.jspecify.annotations.NullMarked;
