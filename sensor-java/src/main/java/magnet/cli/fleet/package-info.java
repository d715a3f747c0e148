// SPDX-License-Identifier: Apache-2.0
/**
 * What gmetad knows of magnet on all nodes: its XML is read in one pass, each node is judged, and those that need attention
 * are told. Nothing is asked of the nodes themselves.
 */
@NullMarked
package magnet.cli.fleet;

import org.jspecify.annotations.NullMarked;
