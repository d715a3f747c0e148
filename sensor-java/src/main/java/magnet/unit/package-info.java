// SPDX-License-Identifier: Apache-2.0
/** Sizes and times as people write them: one grammar for options, configuration and rules. Knows no other package. */
@NullMarked
package magnet.unit;

import org.jspecify.annotations.NullMarked;
