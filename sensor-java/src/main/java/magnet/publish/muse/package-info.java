// SPDX-License-Identifier: Apache-2.0
/**
 * Answers the clients of MUSE (MAGNET user-space environment), as its daemon did: {@code docs/muse.md}. What a client
 * creates are handlers of its own, fed from a buffer of their own, which is there only while one of them runs.
 */
@NullMarked
package magnet.publish.muse;

import org.jspecify.annotations.NullMarked;
