# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f cost.awk starts.csv rates.csv pauses.csv: makes tables of what
# magnet.cost.ServiceCost wrote, and the input of peers/chart.awk. Exit code 1 when memory or processor time is above its limit, 2
# when something was not measured, or a limit is for a rate that was not reached.

BEGIN {
    FS = ","
    NAME = "bench-cost"
    TEXT_WIDTH = 36
    CELL_WIDTH = 14
    # Others on the machine make the same work cost more time: these are above the aims, 0.3 and 2 percent.
    most_percent["summary", 200] = 1.2
    most_percent["summary", 100000] = 4
    most_mib["summary", 200] = most_mib["summary", 10000] = most_mib["summary", 100000] = 64
    most_percent["jobs", 200] = 1.2
    most_percent["jobs", 100000] = 5
    most_mib["jobs", 200] = most_mib["jobs", 100000] = 72
    most_mib["full", 200] = most_mib["full", 100000] = 96
    # What must be reached of a rate that has a limit.
    REACHED = 0.9
    # In which the kernel tells a process's time, /proc/PID/stat.
    TICK_SECONDS = 0.01
}

FNR == 1 { next }
FILENAME ~ /starts/ {
    start[++starts] = $2
    start_cpu[starts] = $3
    java[starts] = $4
    next
}
FILENAME ~ /pauses/ {
    pauses[$1, $2]++
    paused[$1, $2] += $3
    if ($3 > longest[$1, $2])
        longest[$1, $2] = $3
    next
}
{
    if ($4 <= 0 || $5 <= 0 || $6 <= 0)
        fail("nothing was measured for level " $1 " at " $2 " events/s")
    measured[$1, $2] = 1
    got[$1, $2] = $3 / $4
    percent[$1, $2] = 100 * $5 / $4
    lasted[$1, $2] = $4
    rss[$1, $2] = $6
    anon[$1, $2] = $7
    allocated[$1, $2] = $8
}

# Of values from 1 to n.
function median(values, n,    i, j, value) {
    for (i = 2; i <= n; i++) {
        value = values[i]
        for (j = i - 1; j > 0 && values[j] > value; j--)
            values[j + 1] = values[j]
        values[j + 1] = value
    }
    return values[int((n + 1) / 2)]
}

function check(what, value, most) {
    if (most == "" || value <= most)
        return
    print NAME ": " what ": " value ", and may be " most > "/dev/stderr"
    exceeded++
}

function has_limit(level, wanted) { return (level, wanted) in most_percent || (level, wanted) in most_mib }

function row(level, wanted,    text) {
    if (!measured[level, wanted])
        fail("nothing was measured for level " level " at " wanted " events/s")
    if (has_limit(level, wanted) && got[level, wanted] < REACHED * wanted)
        fail(sprintf("level %s: %.0f events/s were reached of %d", level, got[level, wanted], wanted))
    if (!shortest || lasted[level, wanted] < shortest)
        shortest = lasted[level, wanted]
    text = (level == "jobs" ? "level summary, jobs" : "level " level) (wanted == 200 ? ", at rest" : "")
    line(text, sprintf("%.0f|%.2f|%.1f|%.1f|%s|%s|%d|%s|%.2f", got[level, wanted], percent[level, wanted], rss[level, wanted],
                       anon[level, wanted], allocated[level, wanted] == "" ? "-" : sprintf("%.0f", allocated[level, wanted] / 1024),
                       allocated[level, wanted] == "" ? "-" : sprintf("%.2f", allocated[level, wanted] / got[level, wanted]),
                       pauses[level, wanted], pauses[level, wanted] ? sprintf("%.2f", longest[level, wanted]) : "-",
                       paused[level, wanted] / lasted[level, wanted]))
    printf "%% of a core\t%s, %.0f events/s\t%.2f\town\n", text, wanted, percent[level, wanted] > chart
    check(text " at " wanted " events/s, % of a core", percent[level, wanted], most_percent[level, wanted])
    check(text " at " wanted " events/s, MiB resident", rss[level, wanted], most_mib[level, wanted])
}

END {
    if (failed)
        exit 2
    if (!starts)
        fail("no start was measured")
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    heading("From start to first metric, median of " starts, "s|s of CPU|java -version, s")
    line("magnetd", sprintf("%.2f|%.2f|%.2f", median(start, starts), median(start_cpu, starts), median(java, starts)))
    heading("Events logged and read", "a second|% of a core|MiB resident|not of files|KiB/s allocated|bytes an event|pauses|longest, ms|ms in a second")
    row("summary", 200)
    row("summary", 10000)
    row("summary", 100000)
    row("summary", 1000000)
    row("jobs", 200)
    row("jobs", 100000)
    row("full", 200)
    row("full", 100000)
    say(sprintf("Processor time is told in ticks of %d ms: one is %.2f %% of a core over %.0f s.", 1000 * TICK_SECONDS,
                100 * TICK_SECONDS / shortest, shortest))
    print ""
    exit exceeded > 0
}
