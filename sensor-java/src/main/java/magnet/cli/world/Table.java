// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.List;

/** Columns under their titles, each as wide as its widest cell. */
public final class Table {
    private static final String GAP = "  ";
    /** A column of text that is folded has so much room. */
    private static final int LEAST_FOLDED = 24;

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

    /** As wide as it is. */
    public List<String> lines() {
        return lines(Folding.NEVER);
    }

    /**
     * No wider than a terminal. A last column of text is folded. Where that is not enough, further columns stand in tables
     * below, each behind the first column.
     */
    public List<String> lines(int columns) {
        int[] widths = widths();
        List<String> lines = new ArrayList<>();
        int from = 1;
        do {
            List<Integer> fitting = fitting(widths, from, columns);
            from += fitting.size() - 1;
            if (!lines.isEmpty()) {
                lines.add("");
            }
            for (List<String> row : rows) {
                lines.addAll(line(row, fitting, widths, columns).lines().toList());
            }
        } while (from < widths.length);
        return lines;
    }

    private int[] widths() {
        int[] widths = new int[right.length];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    /** The first column, and so many from the given one on as there is room for; one at least. */
    private List<Integer> fitting(int[] widths, int from, int columns) {
        List<Integer> fitting = new ArrayList<>(List.of(0));
        long width = widths[0];
        for (int i = from; i < widths.length; i++) {
            boolean folds = i == widths.length - 1 && !right[i];
            width += GAP.length() + (folds ? Math.min(widths[i], LEAST_FOLDED) : widths[i]);
            if (width > columns && fitting.size() > 1) {
                break;
            }
            fitting.add(i);
        }
        return fitting;
    }

    private String line(List<String> row, List<Integer> chosen, int[] widths, int columns) {
        StringBuilder line = new StringBuilder();
        int last = 0;
        for (int i : chosen) {
            line.append(i == 0 ? "" : GAP);
            last = line.length();
            String space = " ".repeat(widths[i] - row.get(i).length());
            line.append(right[i] ? space + row.get(i) : row.get(i) + space);
        }
        return Folding.of(line.toString().stripTrailing(), columns, last);
    }

    public void print(Output out) throws Output.ClosedException {
        print(out, Folding.NEVER);
    }

    /** Prints it for a terminal of so many columns. */
    public void print(Output out, int columns) throws Output.ClosedException {
        for (String line : lines(columns)) {
            out.line(line);
        }
    }
}
