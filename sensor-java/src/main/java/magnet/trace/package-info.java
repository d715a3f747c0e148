// SPDX-License-Identifier: Apache-2.0
/**
 * Saved traces in the Common Trace Format, CTF 1.8: writing, reading, and rules for what was saved. The same form as
 * {@code sensor-kmod/tools} writes; {@code docs/traces.md} describes it. Knows records and nothing else of magnet.
 */
@NullMarked
package magnet.trace;

import org.jspecify.annotations.NullMarked;
