// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

/** What a report tells events and CPU time of. */
enum ReportKey {
    PROCESS,
    JOB
}
