// SPDX-License-Identifier: Apache-2.0
/**
 * Own handlers at work: on a thread, a control socket and a buffer of their own, or over a saved trace. What they are and
 * what they compute is in {@link magnet.handler}.
 */
@NullMarked
package magnet.handler.run;

import org.jspecify.annotations.NullMarked;
