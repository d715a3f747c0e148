// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.List;

/** Columns under their titles, each as wide as its widest cell. */
public final class Table {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final boolean[] right;

    /** A table with its titles; those that begin with {@code >} stand over columns of numbers, flush right. */
    public Table(String... titles) {
        right = new boolean[titles.length];
        List<String> row = new ArrayList<>();
        for (int i = 0; i < titles.length; i++) {
            right[i] = titles[i].startsWith(">");
            row.add(right[i] ? titles[i].substring(1) : titles[i]);
        }
        rows.add(row);
    }

    public Table row(Object... cells) {
        if (cells.length != right.length) {
            throw new IllegalArgumentException(cells.length + " cells in " + right.length + " columns");
        }
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        rows.add(row);
        return this;
    }

    public List<String> lines() {
        int[] widths = new int[right.length];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String space = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : GAP);
                line.append(right[i] ? space + row.get(i) : row.get(i) + space);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    public void print(Output out) throws Output.ClosedException {
        for (String line : lines()) {
            out.line(line);
        }
    }
}
