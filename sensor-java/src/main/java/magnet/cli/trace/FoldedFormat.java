// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import magnet.cli.world.Folding;
import magnet.record.RecordFlyweight;

/** A format whose lines are no wider than the terminal: what does not fit stands below. */
final class FoldedFormat implements RecordFormat {
    private final RecordFormat format;
    private final int columns;
    private final int indent;

    /**
     * @param columns of the terminal
     * @param indent spaces in front of what stands below
     */
    FoldedFormat(RecordFormat format, int columns, int indent) {
        this.format = format;
        this.columns = columns;
        this.indent = indent;
    }

    @Override
    public void append(RecordFlyweight record, StringBuilder line) {
        int start = line.length();
        format.append(record, line);
        Folding.fold(line, start, columns, indent);
    }
}
