// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/** What the module tells everybody who listens, without being asked. */
public sealed interface Notice permits LossNotice, UrgentNotice {}
