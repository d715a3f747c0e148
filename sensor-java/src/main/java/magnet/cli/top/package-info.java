// SPDX-License-Identifier: Apache-2.0
/**
 * {@code magnet top}: windows of the service's own metrics, on a screen or in blocks.
 */
@NullMarked
package magnet.cli.top;

import org.jspecify.annotations.NullMarked;
