// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.cli.world.Counted;
import magnet.cli.world.Table;
import magnet.cli.world.VisibleText;
import magnet.control.HitCounts;
import magnet.metric.TopOrder;
import magnet.os.TerminalSize;
import magnet.summary.ProcessRanking;

/** Lays out a {@link TopFrame}: as a block of text that has all of it, or as what fits on a terminal. Stateless. */
public final class TopPage {
    /** From this width on there is room for two tables side by side. */
    private static final int WIDE = 80;

    private static final int LEFT_WIDTH = 45;
    private static final int LOSSES_SHOWN = 4;
    private static final String OWN = " (this magnet top)";
    private static final double MICROS_PER_MILLI = 1e3;
    private static final double MICROS_PER_SECOND = 1e6;

    private TopPage() {}

    /** All of it, for files and pipes. */
    static List<String> block(TopFrame frame) {
        List<String> lines = new ArrayList<>(header(frame));
        lines.add("");
        lines.addAll(processes(frame));
        lines.add("");
        lines.addAll(latencies(frame));
        lines.add("");
        lines.addAll(events(frame));
        if (!frame.losses().isEmpty()) {
            lines.add("");
            lines.addAll(losses(frame));
        }
        return lines;
    }

    /** What fits, and below it a line that is always there, unless it is empty. */
    static List<String> screen(TopFrame frame, TerminalSize size, String footer) {
        return screen(frame, size, footer, 0);
    }

    /** The same without so many processes at the top of their table. */
    static List<String> screen(TopFrame frame, TerminalSize size, String footer, int scrolled) {
        if (footer.isEmpty()) {
            return screen(frame, size, scrolled);
        }
        return above(
                footer, screen(frame, new TerminalSize(size.columns(), Math.max(1, size.rows() - 1)), scrolled), size);
    }

    /** What the keys do. */
    static List<String> keys(TerminalSize size, String footer) {
        List<String> lines = TopKeys.TABLE.stream().map(line -> cut(line, size)).toList();
        return above(footer, first(lines, Math.max(0, size.rows() - 1)), size);
    }

    private static List<String> above(String footer, List<String> above, TerminalSize size) {
        List<String> lines = new ArrayList<>(above);
        while (lines.size() < size.rows() - 1) {
            lines.add("");
        }
        lines.add(cut(footer, size));
        return first(lines, size.rows());
    }

    /** What fits: no more lines, and none is longer. */
    static List<String> screen(TopFrame frame, TerminalSize size) {
        return screen(frame, size, 0);
    }

    private static List<String> screen(TopFrame frame, TerminalSize size, int scrolled) {
        List<String> lines = new ArrayList<>(header(frame));
        lines.add("");
        List<String> losses = frame.losses().isEmpty() ? List.of() : first(losses(frame), 1 + LOSSES_SHOWN);
        if (!losses.isEmpty()) {
            lines.addAll(losses);
            lines.add("");
        }
        List<String> latencies = latencies(frame);
        if (size.columns() >= WIDE) {
            int rows = Math.max(latencies.size(), (size.rows() - lines.size()) / 2 - 1);
            lines.addAll(beside(latencies, first(events(frame), rows)));
        } else {
            lines.addAll(latencies);
            lines.add("");
            lines.addAll(first(events(frame), Math.max(2, (size.rows() - lines.size()) / 2 - 1)));
        }
        lines.add("");
        List<String> processes = processes(frame);
        lines.add(processes.get(0));
        lines.addAll(processes.subList(1 + Math.min(scrolled, processes.size() - 1), processes.size()));
        return first(lines, size.rows()).stream().map(line -> cut(line, size)).toList();
    }

    /** As much of a line as fits. */
    static String cut(String line, TerminalSize size) {
        return line.length() > size.columns() ? line.substring(0, size.columns()) : line;
    }

    private static List<String> header(TopFrame frame) {
        List<String> lines = new ArrayList<>();
        lines.add("magnet top  %s  window %.2f s, %s, %s"
                .formatted(
                        frame.time(),
                        frame.seconds(),
                        Counted.of(frame.cpus(), "CPU"),
                        Counted.of(frame.points(), "point")));
        lines.add("LOST %d (%d since start)  events %s/s  late %s/s  discarded %s/s  lag %s"
                .formatted(
                        frame.lost(),
                        frame.lostSinceStart(),
                        number(frame.eventsPerSecond()),
                        number(frame.late()),
                        number(frame.discarded()),
                        time(frame.lagMicros())));
        if (frame.lost() > 0) {
            lines.add("events were lost: what follows is too low; --buffer-size makes more room for them");
        }
        frame.filter().ifPresent(filter -> lines.add("only " + VisibleText.of(filter)));
        if (!frame.absent().isEmpty()) {
            lines.add("without %s, see \"magnet check\": %s"
                    .formatted(Counted.of(frame.absent().size(), "point"), String.join(" ", frame.absent())));
        }
        return lines;
    }

    private static List<String> events(TopFrame frame) {
        Table table = new Table("EVENT", ">PER SEC", ">TOTAL");
        for (TopFrame.EventRow row : frame.events()) {
            table.row(row.name(), number(row.perSecond()), row.total());
        }
        return table.lines();
    }

    private static List<String> latencies(TopFrame frame) {
        Table table = new Table("LATENCY", ">P50", ">P99", ">MAX");
        frame.latencies().forEach((latency, micros) -> {
            if (!micros.isEmpty()) {
                boolean happened = micros.get(micros.size() - 1) > 0;
                List<String> cells = new ArrayList<>(List.of(latency.label()));
                micros.forEach(each -> cells.add(happened ? time(each) : "-"));
                table.row(cells.toArray());
            }
        });
        return table.lines();
    }

    private static List<String> processes(TopFrame frame) {
        if (frame.byJob()) {
            return TopJobs.lines(frame);
        }
        Table table = new Table(
                ">PID",
                ">" + title("CPU %", TopOrder.CPU, frame),
                ">" + title("WAIT %", TopOrder.WAIT, frame),
                ">" + title("SWITCHES/S", TopOrder.SWITCHES, frame),
                "PROCESS");
        for (ProcessRanking.Row row : frame.processes()) {
            table.row(
                    row.process(),
                    number(row.cpuPercent()),
                    number(row.waitPercent()),
                    number(row.switchesPerSecond()),
                    (row.name().isEmpty() ? "-" : VisibleText.of(row.name()))
                            + (row.process() == frame.self() ? OWN : ""));
        }
        return table.lines();
    }

    /** The one that processes are ranked by is marked. */
    static String title(String title, TopOrder order, TopFrame frame) {
        return order == frame.order() ? "*" + title : title;
    }

    private static List<String> losses(TopFrame frame) {
        Table table = new Table("LOST SINCE START", ">FULL", ">BIG", ">RECURSION", ">STORM", ">MISSED", ">OF HITS");
        for (Map.Entry<String, HitCounts> point : frame.losses().entrySet()) {
            HitCounts counts = point.getValue();
            table.row(
                    point.getKey(),
                    counts.droppedFull(),
                    counts.droppedBig(),
                    counts.droppedRecursion(),
                    counts.droppedStorm(),
                    counts.missed(),
                    counts.hits());
        }
        return table.lines();
    }

    private static List<String> beside(List<String> left, List<String> right) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            String one = i < left.size() ? left.get(i) : "";
            String other = i < right.size() ? right.get(i) : "";
            lines.add((one + " ".repeat(Math.max(2, LEFT_WIDTH - one.length())) + other).stripTrailing());
        }
        return lines;
    }

    private static List<String> first(List<String> lines, int most) {
        return lines.subList(0, Math.min(most, lines.size()));
    }

    /** With a decimal where it matters. */
    static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
    }

    static String time(double micros) {
        if (micros < MICROS_PER_MILLI) {
            return String.format(Locale.ROOT, "%.1fus", micros);
        }
        return micros < MICROS_PER_SECOND
                ? String.format(Locale.ROOT, "%.2fms", micros / MICROS_PER_MILLI)
                : String.format(Locale.ROOT, "%.2fs", micros / MICROS_PER_SECOND);
    }
}
