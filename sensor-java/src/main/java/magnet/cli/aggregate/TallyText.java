// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import magnet.cli.world.Counted;
import magnet.cli.world.Output;
import magnet.cli.world.Table;
import org.jspecify.annotations.Nullable;

/** What was counted, for people: a table, or histograms as bpftrace draws them. No line is longer than the terminal's. */
final class TallyText implements TallyReport {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String GAP = "  ";
    private static final String CUT = "...";
    private static final int LABEL_COLUMNS = 16;
    private static final int COUNT_COLUMNS = 8;
    private static final int FRAME_COLUMNS = 3;
    private static final int BAR_COLUMNS = 52;
    private static final int BAR_COLUMNS_LEAST = 4;
    private static final int KEY_COLUMNS_LEAST = 8;
    /** Of the columns COUNT and SHARE, and the gaps between them. */
    private static final int NUMBERS_COLUMNS = 28;

    private static final double PERCENT = 100;

    private final Output out;
    private final Supplier<ZoneId> zone;
    private final IntSupplier columns;
    private final int rows;
    private final boolean repeated;
    private boolean any;

    /**
     * @param zone time zone of the times
     * @param columns of the terminal, now
     * @param rows most groups to print
     * @param repeated whether there is more than one print, each with a line that says when
     */
    TallyText(Output out, Supplier<ZoneId> zone, IntSupplier columns, int rows, boolean repeated) {
        this.out = out;
        this.zone = zone;
        this.columns = columns;
        this.rows = rows;
        this.repeated = repeated;
    }

    @Override
    public void show(EventTally tally, @Nullable TallySpan span, long lost) throws IOException {
        GroupTotals totals = tally.totals();
        if (any) {
            out.line();
        }
        any = true;
        if (repeated && span != null) {
            out.line(TIME.format(span.end().atZone(zone.get()))
                    + GAP
                    + String.format(Locale.ROOT, "%.1f s", span.seconds())
                    + GAP
                    + Counted.of(totals.events(), "event")
                    + (lost == 0 ? "" : ", " + lost + " lost"));
        }
        if (totals.events() == 0) {
            out.line("no events");
        } else if (tally.grouping().isBucketed()) {
            showHistograms(tally);
        } else {
            showTable(tally);
        }
        if (lost > 0 && !repeated) {
            out.line(cut(Counted.of(lost, "event") + " lost: these figures are too low", columns.getAsInt()));
        }
        out.flush();
    }

    private void showTable(EventTally tally) throws Output.ClosedException {
        Grouping grouping = tally.grouping();
        GroupTotals totals = tally.totals();
        int keys = grouping.by().size();
        if (keys == 0) {
            out.line(Counted.of(totals.events(), "event"));
            return;
        }
        int width = Math.max(KEY_COLUMNS_LEAST, (columns.getAsInt() - NUMBERS_COLUMNS) / keys - GAP.length());
        Table table = new Table(titles(grouping, width));
        List<Integer> shown = totals.ranked(rows);
        for (int group : shown) {
            List<Object> cells = new ArrayList<>();
            for (int part = 0; part < keys; part++) {
                cells.add(cut(key(tally, group, part), width));
            }
            addRow(table, cells, totals.count(group), totals.events());
        }
        long rest = totals.eventsBeside(shown);
        if (rest > 0) {
            addRow(table, padded(cut(others(totals, shown.size()), width), keys), rest, totals.events());
        }
        addRow(table, padded("total", keys), totals.events(), totals.events());
        for (String line : table.lines()) {
            out.line(cut(line, columns.getAsInt()));
        }
    }

    private static void addRow(Table table, List<Object> cells, long count, long all) {
        List<Object> row = new ArrayList<>(cells);
        row.add(count);
        row.add(String.format(Locale.ROOT, "%.1f%%", PERCENT * count / all));
        table.row(row.toArray());
    }

    private static List<Object> padded(String first, int cells) {
        List<Object> row = new ArrayList<>();
        row.add(first);
        while (row.size() < cells) {
            row.add("");
        }
        return row;
    }

    /** What stands for the groups that are not shown. */
    private static String others(GroupTotals totals, int shown) {
        return totals.others() == 0 ? totals.size() - shown + " more" : "others";
    }

    private static String[] titles(Grouping grouping, int width) {
        List<String> titles = new ArrayList<>();
        for (String key : grouping.by()) {
            titles.add(cut(key.toUpperCase(Locale.ROOT), width));
        }
        titles.add(">COUNT");
        titles.add(">SHARE");
        return titles.toArray(String[]::new);
    }

    private void showHistograms(EventTally tally) throws Output.ClosedException {
        GroupTotals totals = tally.totals();
        List<Integer> shown = totals.ranked(rows);
        boolean first = true;
        for (int group : shown) {
            if (!first) {
                out.line();
            }
            first = false;
            showHistogram(tally, group);
        }
        long rest = totals.eventsBeside(shown);
        if (rest > 0) {
            out.line();
            out.line(cut(others(totals, shown.size()) + ": " + Counted.of(rest, "event"), columns.getAsInt()));
        }
    }

    private void showHistogram(EventTally tally, int group) throws Output.ClosedException {
        out.line(title(tally, group));
        GroupTotals totals = tally.totals();
        long highest = 1;
        for (int at = totals.firstBucket(group); at <= totals.lastBucket(group); at++) {
            highest = Math.max(highest, totals.inBucket(group, at));
        }
        int countColumns = Math.max(COUNT_COLUMNS, Long.toString(highest).length() + 1);
        int barColumns = Math.max(
                BAR_COLUMNS_LEAST,
                Math.min(BAR_COLUMNS, columns.getAsInt() - LABEL_COLUMNS - countColumns - FRAME_COLUMNS));
        for (int at = totals.firstBucket(group); at <= totals.lastBucket(group); at++) {
            out.line(bar(PowerBuckets.label(at), totals.inBucket(group, at), highest, countColumns, barColumns));
        }
    }

    /** Whose histogram it is, with its exact figures; these are the last to be cut off. */
    private String title(EventTally tally, int group) {
        Grouping grouping = tally.grouping();
        GroupTotals totals = tally.totals();
        String unit = grouping.fieldKind() == ValueKind.NANOS ? " ns" : "";
        StringBuilder title = new StringBuilder(grouping.field());
        for (int part = 0; part < grouping.by().size(); part++) {
            title.append(part == 0 ? " of " : ", ")
                    .append(grouping.by().get(part))
                    .append(' ')
                    .append(key(tally, group, part));
        }
        String figures = ": " + Counted.of(totals.count(group), "event") + ", " + totals.least(group) + " to "
                + totals.most(group) + unit;
        int left = Math.max(KEY_COLUMNS_LEAST, columns.getAsInt() - figures.length());
        return cut(cut(title.toString(), left) + figures, columns.getAsInt());
    }

    /** A bucket's line as bpftrace has it. */
    static String bar(String label, long count, long highest, int countColumns, int barColumns) {
        String number = Long.toString(count);
        // In single precision, as bpftrace reckons.
        int length = (int) ((float) count / (float) highest * barColumns);
        return label + " ".repeat(Math.max(0, LABEL_COLUMNS - label.length()))
                + " ".repeat(Math.max(0, countColumns - number.length())) + number + " |" + "@".repeat(length)
                + " ".repeat(barColumns - length) + "|";
    }

    private static String key(EventTally tally, int group, int part) {
        return tally.names().shown(part, tally.totals().key(group, part));
    }

    private static String cut(String text, int columns) {
        return text.length() <= columns
                ? text
                : text.substring(0, Math.max(0, columns - CUT.length()))
                        + CUT.substring(0, Math.min(columns, CUT.length()));
    }
}
