// SPDX-License-Identifier: Apache-2.0
/**
 * One selector server for all protocols whose clients hold a connection: who may connect, who is slow, how much waits, and
 * its end are decided here; what is said is the protocol's.
 */
@NullMarked
package magnet.publish.server;

import org.jspecify.annotations.NullMarked;
