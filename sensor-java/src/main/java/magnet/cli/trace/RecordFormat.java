// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import magnet.record.RecordFlyweight;

/** Writes one record as a line. */
public interface RecordFormat {
    /** Appends the line, without its end. */
    void append(RecordFlyweight record, StringBuilder line);
}
