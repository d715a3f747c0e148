# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f readers.awk versions.csv readers.csv threads.csv profile.csv: makes
# tables of what measure-readers wrote, and the input of chart.awk. Exit code 2 when a reader does not account for every event.

# As many as measure-readers makes. A tool that says it has lost none has not recorded what never came to it, so its file
# must be as long as its records, and what magnetd has read, too.
BEGIN {
    EVENTS = 1000000
    LEAST_BYTES = 8
    SAMPLES_SHOWN = 12
    least_bytes["magnet_raw"] = least_bytes["service"] = 40
    least_bytes["magnet_forget"] = 0
}

FILENAME ~ /threads/ {
    if ($5 < $4 || $2 < 1)
        fail("thread " $3 " of magnetd: " $4 " before, " $5 " after " $2 " events")
    threads[$3]
    thread[$3, $1] = ($5 - $4) / $2
    thread_runs = $1 > thread_runs ? $1 : thread_runs
    next
}

FILENAME ~ /profile/ {
    profile_share[$1, ++places[$1]] = $2
    profile_place[$1, places[$1]] = $3
    next
}

{
    if ($4 + $5 != $3 || $4 < 1 || $7 < 1)
        fail($1 ": of " $3 " events " $4 " are recorded and " $5 " lost, for " $7 " instructions")
    if ($3 < EVENTS)
        fail($1 ": " $3 " events, and " EVENTS " were made")
    if ($6 < $4 * ($1 in least_bytes ? least_bytes[$1] : LEAST_BYTES))
        fail($1 ": " $4 " events are recorded in no more than " $6 " bytes")
    values[$1, ++runs[$1]] = $7 / $4
    events[$1] += $3
    lost[$1] += $5
    bytes[$1] = $6 / $4
}

function cost(name) {
    if (!runs[name])
        fail("nothing was measured for " name)
    return quantile(values, name, runs[name], 0.5)
}

function row(name, text,    median, tool) {
    median = cost(name)
    tool = name ~ /^(magnet|service)/ ? "own" : "other"
    line(text, sprintf("%.0f|%.0f to %.0f|%s|%.2g", median, values[name, 1], values[name, runs[name]], bytes[name] ? sprintf("%.0f", bytes[name]) : "",
                       100 * lost[name] / events[name]))
    printf "%s\t%s\t%.0f\t%s\n", "to a file on a tmpfs, or to metrics", text, median, tool > chart
}

# 0 where nothing was lost.
function all_lost(name) {
    cost(name)
    return lost[name]
}

# The median of a thread's runs: of one that there was not in a run, nothing.
function thread_cost(name,    run) {
    for (run = 1; run <= thread_runs; run++)
        thread[name, run] += 0
    sort(thread, name, thread_runs)
    return quantile(thread, name, thread_runs, 0.5)
}

# From the dearest to the cheapest; what is below one instruction is one row.
function thread_rows(    name, cost_of, best, rest) {
    if (!thread_runs)
        fail("nothing was measured for the threads of magnetd")
    heading("magnetd by thread", "instructions")
    for (name in threads)
        if ((cost_of[name] = thread_cost(name)) < 1) {
            rest += cost_of[name]
            delete cost_of[name]
        }
    while (length(cost_of)) {
        best = ""
        for (name in cost_of)
            if (best == "" || cost_of[name] > cost_of[best])
                best = name
        line(best == "java" ? "java: reads, merges, decodes, pairs, summarises" : best, sprintf("%.0f", cost_of[best]))
        delete cost_of[best]
    }
    line("all others", sprintf("%.1f", rest))
}

# Where a reader was, in instructions per event: shares of what it costs when nobody looks. perf has sorted them.
function profile_rows(name, text,    i, rest) {
    if (!places[name])
        fail("nobody has looked where " name " spends its time")
    heading(text ", by function", "percent|instructions")
    rest = 100
    for (i = 1; i <= places[name] && i <= SAMPLES_SHOWN; i++) {
        line("`" profile_place[name, i] "`", sprintf("%.1f|%.0f", profile_share[name, i], cost(name) * profile_share[name, i] / 100))
        rest -= profile_share[name, i]
    }
    line("all others", sprintf("%.1f|%.0f", rest, cost(name) * rest / 100))
}

END {
    if (failed)
        exit 2
    for (name in runs)
        sort(values, name, runs[name])
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Instructions of the reader per event, a million events as fast as they come. " versions_line() ".")
    heading("Reader", "instructions|all runs|bytes|% lost")
    row("magnet_forget", "magnet-read, reads and forgets")
    row("magnet_raw", "magnet-read -o, records as they are")
    row("magnet_ctf", "magnet-read -c, a CTF trace")
    row("service", "magnetd: decodes, pairs and summarises")
    row("lttng_splice", "lttng-consumerd, splice, kprobe")
    row("lttng_mmap", "lttng-consumerd, mmap, kprobe")
    row("lttng_splice_36", "lttng-consumerd, splice, kprobe with pid, tid, procname")
    row("lttng_mmap_36", "lttng-consumerd, mmap, kprobe with pid, tid, procname")
    row("trace_cmd", "trace-cmd record, kprobe event")
    row("perf_record", "perf record, kprobe")
    row("bpf_ring", "BPF ring buffer, a program that copies")
    thread_rows()
    profile_rows("magnet_raw", "magnet-read -o")
    profile_rows("service", "magnetd")
    best = cost("lttng_mmap_36") < cost("lttng_splice_36") ? "lttng_mmap_36" : "lttng_splice_36"
    heading("Aims", "measured|at most|verdict")
    aim("magnet-read -o, to the best of lttng-consumerd with events of 36 bytes: " best, cost("magnet_raw") / cost(best), 1, "%.2f")
    aim("magnetd, to the BPF ring buffer's reader", cost("service") / cost("bpf_ring"), 1, "%.2f")
    aim("events that magnet-read lost", all_lost("magnet_raw") + all_lost("magnet_ctf"), 0, "%d")
    aim("events that magnetd lost", all_lost("service"), 0, "%d")
    printf "\naims: %d reached, %d not reached\n", reached, missed
}
