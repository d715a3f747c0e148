// SPDX-License-Identifier: Apache-2.0
/**
 * What all commands share: the world around them, their output, what ends them early, and how they say that they
 * cannot.
 */
@NullMarked
package magnet.cli.world;

import org.jspecify.annotations.NullMarked;
