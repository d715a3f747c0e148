// SPDX-License-Identifier: Apache-2.0
/**
 * Whose events these are: which cgroup a process is in, and which job a cgroup is. One thread, no allocation per event.
 */
@NullMarked
package magnet.job;

import org.jspecify.annotations.NullMarked;
