// SPDX-License-Identifier: Apache-2.0
/**
 * For programs that adapt to what happens on their node: they name conditions on metrics, and are told when these begin to
 * hold and when they end. {@link magnet.adapt.Adaptation} is where to begin; {@code docs/adapt.md} has a worked example.
 */
@NullMarked
package magnet.adapt;

import org.jspecify.annotations.NullMarked;
