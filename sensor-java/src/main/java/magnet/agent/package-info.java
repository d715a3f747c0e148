// SPDX-License-Identifier: Apache-2.0
/**
 * The one kind of thread that the product has: agents, whose failures are counted and said, and tasks that end by
 * themselves. Nobody else makes a thread. Knows no other package.
 */
@NullMarked
package magnet.agent;

import org.jspecify.annotations.NullMarked;
