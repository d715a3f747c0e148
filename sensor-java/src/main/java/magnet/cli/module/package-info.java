// SPDX-License-Identifier: Apache-2.0
/**
 * What is in the module: points, buffers, filters, its state, and its end.
 */
@NullMarked
package magnet.cli.module;

import org.jspecify.annotations.NullMarked;
