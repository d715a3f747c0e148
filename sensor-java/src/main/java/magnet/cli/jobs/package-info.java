// SPDX-License-Identifier: Apache-2.0
/** {@code magnet jobs}: which jobs are on this node, what they take, and how they are stopped, continued and killed. */
@NullMarked
package magnet.cli.jobs;

import org.jspecify.annotations.NullMarked;
