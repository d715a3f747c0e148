// SPDX-License-Identifier: Apache-2.0
/** A socket at which users ask for the figures of their jobs, and admins for those of all. */
@NullMarked
package magnet.publish.jobs;

import org.jspecify.annotations.NullMarked;
