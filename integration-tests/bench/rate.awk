# SPDX-License-Identifier: Apache-2.0
#
# awk -v recorded=EVENTS -v markdown=FILE -v chart=FILE -f tables.awk -f rate.awk measured.csv: makes a table of what report-rate
# wrote, and the input of peers/chart.awk. So many events were made at least for those who read what they have recorded. Exit
# code 1 when magnet report has less than ten times babeltrace2's rate by the clock, 2 when something was not measured.

BEGIN {
    FS = ","
    NAME = "report-rate"
    TEXT_WIDTH = 44
    CELL_WIDTH = 16
    WANTED = 10
}

FNR == 1 { next }
{
    if ($3 < 1 || $4 < 1)
        fail($1 " took " $4 " ms for " $3 " events")
    if ($1 ~ /trace_cmd|perf/ && $3 < recorded)
        fail($1 " printed " $3 " of " recorded " events")
    rate = $3 / $4 / 1000
    if (rate > best[$1])
        best[$1] = rate
    if (!($1 in worst) || rate < worst[$1])
        worst[$1] = rate
    spent = $5 + $6
    if (NF != 6 || spent < 1)
        fail($1 " took no time of the processors, or nobody knows")
    if ($3 / spent / 1000 > by_cpu[$1])
        by_cpu[$1] = $3 / spent / 1000
}

function row(name, text) {
    if (!(name in best))
        fail("nothing was measured for " name)
    line(text, sprintf("%.2f|%.2f|%.1f|%.2f|%.1f", best[name], worst[name], best[name] / best["print"], by_cpu[name],
                       by_cpu[name] / by_cpu["print"]))
    printf "million events a second\t%s\t%.2f\t%s\n", text, best[name], name == "report" ? "own" : "other" > chart
}

# How many times the rate of another one magnet report has, of which the limit is by the clock.
function times(name, text, limit,    by_clock, verdict) {
    by_clock = best["report"] / best[name]
    verdict = limit == "" ? "" : by_clock < limit ? "TOO LITTLE" : "ok"
    line(text, sprintf("%.1f|%s|%s|%.1f", by_clock, limit, verdict, by_cpu["report"] / by_cpu[name]))
}

END {
    if (failed)
        exit 2
    if (!best["print"])
        fail("nothing was measured for babeltrace2")
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    heading("Million events a second", "the best round|the worst|to babeltrace2|a second of CPU|to babeltrace2")
    row("report", "magnet report")
    row("counter", "babeltrace2 -c sink.utils.counter")
    row("perf_script", "perf script")
    row("trace_cmd", "trace-cmd report")
    row("print", "babeltrace2")
    heading("How many times their rate magnet report has", "by the clock|limit|verdict|by CPU time")
    times("print", "babeltrace2", WANTED)
    times("counter", "babeltrace2, which decodes and prints nothing")
    print ""
    if (best["report"] < WANTED * best["print"]) {
        print NAME ": magnet report has less than " WANTED " times the rate of babeltrace2" > "/dev/stderr"
        exit 1
    }
}
