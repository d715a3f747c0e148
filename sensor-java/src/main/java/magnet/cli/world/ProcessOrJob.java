// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

/** What {@code --by} takes: what figures are told of. */
public enum ProcessOrJob {
    PROCESS,
    JOB
}
