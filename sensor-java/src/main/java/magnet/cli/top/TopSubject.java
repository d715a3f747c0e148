// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

/** What {@code magnet top} ranks. */
enum TopSubject {
    PROCESS,
    JOB
}
