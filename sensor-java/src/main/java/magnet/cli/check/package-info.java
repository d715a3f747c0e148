// SPDX-License-Identifier: Apache-2.0
/**
 * {@code magnet check}: what of machine, module and service is not as it should be.
 */
@NullMarked
package magnet.cli.check;

import org.jspecify.annotations.NullMarked;
