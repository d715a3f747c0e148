// SPDX-License-Identifier: Apache-2.0
/**
 * {@code magnet bench}: what an event costs here.
 */
@NullMarked
package magnet.cli.bench;

import org.jspecify.annotations.NullMarked;
