// SPDX-License-Identifier: Apache-2.0
/** The commands {@code magnet cluster}. */
@NullMarked
package magnet.cluster.cli;

import org.jspecify.annotations.NullMarked;
