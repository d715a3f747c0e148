// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.cli.world.Folding;
import magnet.cli.world.HelpFooter;
import magnet.cli.world.ReadOn;

/** What {@code magnet help} tells of beside the commands: what several of them have in common. */
enum HelpTopic {
    RULES("which events are logged: the language of --filter", "control.md", """
            A rule is ACTION, or ACTION if FIELD OP VALUE [and FIELD OP VALUE]...
            The first rule that matches an event decides. If none matches, it is logged.

              ACTION   log, drop, sample N (one of N),
                       every TIME (at most one in this time),
                       urgent (logged, and the reader wakes at once)
              FIELD    cpu, tgid, tid, id, cgroup, job, or a field of the point; of
                       packets also protocol, saddr, daddr, sport, dport
              OP       ==, !=, <, <=, >, >=, in, & (one of these bits is set)
              VALUE    a number, a list such as 3,5-9,0x20, an address such as
                       10.0.0.0/8, or a cgroup's path or id: in means those below, too;
                       a word that magnet read prints: reason == NO_SOCKET;
                       for a job, its name: job == slurm:4711 (of read, watch,
                       count, hist and record start)

            Write several rules in one text with ; between them, or in several --filter.
            The kernel applies them: a dropped event costs little and is no loss.

              magnet read -p udp_sendmsg --filter 'drop if tgid != 4711'
              magnet read -p udp_rcv --filter 'log if len > 1400; sample 100'
            """),
    VALUES("how times, sizes and lists of points are written", "operating.md", """
            TIME     500us, 20ms, 90s, 5m, 1h, 1d, or seconds: 10, 0.5
            SIZE     bytes: 4096, 64K, 8M, 1G; BYTES is the same
            POINT    a name of "magnet points"; several as a,b or in several -p
            """),
    LOSSES("why events are lost, and what helps", "loss.md", """
            At its end a command that reads events says how many hits were logged,
            filtered, sampled out and lost. "magnet status" shows the causes of losses:

              FULL       the buffer was full before it was read: a larger --buffer-size,
                         fewer points, or a rule (see: magnet help rules)
              STORM      the point's storm guard refused them: magnet points
              RECURSION  they came inside a handler of their own kind
              BIG        they were larger than a record may be
              MISSED     the probe mechanism itself lost them

            A command that prints events causes more events, and prints these, too:
            --not-self leaves them out.
            """),
    RIGHTS("who may do what", "security.md", """
            nothing                  status, record ls; points, buffers and filters to
                                     list; check, report, filter, export, supermon;
                                     count and hist with --trace; watch without a
                                     point; jobs, jobs tree, jobs watch; cluster sync
            the right to write to    jobs stop, jobs cont, jobs kill; with --signals the
            the job's cgroups        right to signal its processes
            CAP_PERFMON, and the     read, watch, count, hist, dump, top, adapt, bench;
            group of /dev/magnet     record save
            CAP_NET_RAW besides      dump, and --snap: packets' bytes
            CAP_BPF besides          points --insert that follows pointers
            CAP_PERFMON              record start and record stop; points, buffers and
                                     filters to change things
            the cluster's key        cluster start, stop, status and ls: root and group
                                     magnet have it
            CAP_SYS_MODULE           load; with CAP_PERFMON unload
            root                     cluster key; jobs keep; jobs stop, cont and kill of
                                     gtrace's tasks

            root has all of them. "magnet check" says which ones you lack.
            """);

    /** Longer lines are hard to read, and it is the width of a terminal that nobody has made wider. */
    static final int WIDEST = 80;

    private static final String EXAMPLE = "  magnet ";
    private static final Pattern GAP = Pattern.compile("(?<=\\S) {2,}");

    private final String summary;
    private final String document;
    private final String text;

    HelpTopic(String summary, String document, String text) {
        this.summary = summary;
        this.document = document;
        this.text = text;
    }

    /** The topic of a name. */
    static Optional<HelpTopic> of(String name) {
        return Arrays.stream(values())
                .filter(topic -> topic.label().equals(name))
                .findFirst();
    }

    /** All names. */
    static List<String> names() {
        return Arrays.stream(values()).map(HelpTopic::label).toList();
    }

    /** How it is asked for. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What it is about, in a few words. */
    String summary() {
        return summary;
    }

    /** All that there is to say, in lines of so many characters. */
    String text(int columns) {
        String title = Folding.of("magnet help " + label() + ": " + summary, columns, 2);
        String further = Folding.of("Read on: " + ReadOn.document(document), columns, 2);
        return title + "\n\n" + String.join("\n", folded(text.lines().toList(), columns)) + "\n\n" + further;
    }

    /** Joins the lines of each paragraph and of each entry, and breaks them where the terminal ends. */
    private static List<String> folded(List<String> lines, int columns) {
        List<String> folded = new ArrayList<>();
        int indent = 0;
        StringBuilder entry = new StringBuilder();
        for (String line : lines) {
            boolean example = line.startsWith(EXAMPLE);
            boolean goesOn = !entry.isEmpty() && !line.isEmpty() && !example && leading(line) == indent;
            if (goesOn) {
                entry.append(' ').append(line.strip());
                continue;
            }
            Folding.of(entry.toString(), columns, indent).lines().forEach(folded::add);
            entry.setLength(0);
            if (example) {
                folded.addAll(HelpFooter.folded(List.of(line), columns));
            } else if (line.isEmpty()) {
                folded.add("");
            } else {
                entry.append(line);
                indent = column(line);
            }
        }
        Folding.of(entry.toString(), columns, indent).lines().forEach(folded::add);
        return folded;
    }

    private static int leading(String line) {
        return line.length() - line.stripLeading().length();
    }

    /** Where what an entry says begins: behind two spaces or more. */
    private static int column(String line) {
        Matcher gap = GAP.matcher(line);
        return gap.find() ? gap.end() : leading(line);
    }
}
