// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import magnet.record.RecordFlyweight;

/** Writes one record as a line. */
interface RecordFormat {
    /** Appends the line, without its end. */
    void append(RecordFlyweight record, StringBuilder line);
}
