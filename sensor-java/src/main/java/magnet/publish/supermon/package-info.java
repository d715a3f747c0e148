// SPDX-License-Identifier: Apache-2.0
/**
 * Supermon's way out: a server that speaks the protocol of mon, the node's half of the cluster monitor Supermon, so that
 * its clients and concentrators get a node's categories, and magnet's beside them. docs/supermon.md says what of the
 * protocol is known from where.
 */
@NullMarked
package magnet.publish.supermon;

import org.jspecify.annotations.NullMarked;
