# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f cost.awk versions.csv rows.csv blocks.csv: makes tables of what
# measure-cost wrote, and the input of chart.awk. Exit code 2 when a tool did not do with every event what the row says, or
# the measurement contradicts itself. An aim that is not reached is no error.

FILENAME ~ /rows/ { what[$1] = $2; hits[$1] = $3; fired[$1] = $4; recorded[$1] = $5; bytes[$1] = $6; next }
{ values[$1, ++blocks[$1]] = $3 + 0 }

function base_of(name) { return (name ~ /tracepoint/ ? "tracepoint" : "entry") "_before" }

# What a hit costs above the untraced loop, for this share of the blocks.
function above(name, share,    base) {
    base = base_of(name)
    if (!blocks[name] || !blocks[base])
        fail("nothing was measured for " (blocks[name] ? base : name))
    return quantile(values, name, blocks[name], share) - quantile(values, base, blocks[base], 0.5)
}

function cost(name) { return sprintf("%.0f", above(name, 0.5)) + 0 }

# Every hit must have been recorded, or rejected. A thousandth may be of others: a rule about the process lets those of
# init pass, sampling the first. Where a tool does not say how often its probe fired, that it costs something says so.
function check(name,    events) {
    events = hits[name] * (name ~ /^lttng_kretprobe/ ? 2 : 1)
    if (what[name] == "record" && recorded[name] < events)
        fail(name ": of " events " events " recorded[name] " are recorded")
    if (what[name] == "reject" && recorded[name] * 1000 > events)
        fail(name ": of " events " events " recorded[name] " are recorded, and none should be")
    if (what[name] != "nothing" && fired[name] != "-" && fired[name] < hits[name])
        fail(name ": of " hits[name] " hits the probe saw " fired[name])
    if (what[name] != "nothing" && cost(name) < 1)
        fail(name ": costs nothing, so the probe did not fire")
}

function row(name, text,    tool) {
    if (!(name in what))
        fail("there is no row " name)
    check(name)
    tool = name
    sub(/_.*/, "", tool)
    line(text, sprintf("%d|%.0f to %.0f|%s|%.2f", cost(name), above(name, 0.25), above(name, 0.75),
                       what[name] == "record" && bytes[name] > 0 ? bytes[name] : "", cost(name) / cost(own)))
    printf "%s\t%s\t%d\t%s\n", section, text, cost(name), tool == "magnet" ? "own" : "other" > chart
}

# NAME_OF_OWN is magnet's row in whose multiples the last column is.
function begin(text, short, name_of_own) {
    section = short
    own = name_of_own
    heading(text, "instructions|middle half|bytes|times magnet")
}

# The cheapest of the rows, whose names are separated by blanks.
function cheapest(names,    name, n, i, best) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (!best || cost(name[i]) < cost(best))
            best = name[i]
    return best
}

function nothing(name) {
    return above(name, 0.5)
}

END {
    if (failed)
        exit 2
    for (name in blocks)
        sort(values, name, blocks[name])
    if (nothing("entry_after") || nothing("tracepoint_after"))
        fail("the loop alone did not cost the same before and after")

    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Instructions per event above the untraced loop, in one guest. " versions_line() ".")

    begin("Function entry, `inet_sendmsg`, with a record", "function entry with a record", "magnet_entry")
    row("magnet_entry", "magnet, the point inet_sendmsg")
    row("magnet_entry_dynamic", "magnet, dynamic point f:, one field")
    row("magnet_kprobe", "magnet, dynamic point p: (kprobe), one field")
    row("bpf_fentry_record", "BPF fentry, ring buffer")
    row("bpf_kprobe_record", "BPF kprobe, ring buffer")
    row("ftrace_function", "ftrace, function tracer")
    row("ftrace_kprobe", "ftrace, kprobe event")
    row("ftrace_kprobe_40", "ftrace, kprobe event with three fields")
    row("lttng_kprobe", "LTTng, kprobe")
    row("lttng_kprobe_tid", "LTTng, kprobe with tid")
    row("lttng_kprobe_pid_tid_procname", "LTTng, kprobe with pid, tid, procname")
    row("perf_kprobe", "perf record, kprobe")
    row("bpftrace_kprobe_count", "bpftrace, kprobe, count() and no record")
    row("bpftrace_kprobe_printf", "bpftrace, kprobe, printf() of five values")

    begin("Function return, with a record", "function return with a record", "magnet_kretprobe")
    row("magnet_kretprobe", "magnet, dynamic point r: (kretprobe), with the latency")
    row("bpf_fexit_record", "BPF fexit, ring buffer")
    row("bpf_kretprobe_record", "BPF kretprobe, ring buffer")
    row("ftrace_kretprobe", "ftrace, kretprobe event")
    row("lttng_kretprobe", "LTTng, kretprobe: an event at the entry, one at the return")
    row("perf_kretprobe", "perf record, kretprobe")

    begin("Tracepoint, `sched_switch`, with a record", "tracepoint with a record", "magnet_tracepoint")
    row("magnet_tracepoint", "magnet, the point sched_switch")
    row("magnet_tracepoint_dynamic", "magnet, dynamic point t:, one field")
    row("bpf_raw_tracepoint_record", "BPF raw tracepoint, ring buffer")
    row("ftrace_tracepoint", "ftrace, event")
    row("lttng_tracepoint", "LTTng, event")
    row("lttng_tracepoint_tid", "LTTng, event with tid")
    row("perf_tracepoint", "perf record, event")
    row("bpftrace_tracepoint_count", "bpftrace, count() and no record")

    begin("Function entry, rejected", "function entry, rejected", "magnet_entry_rejected")
    row("magnet_entry_rejected", "magnet, the point inet_sendmsg, a rule about the process")
    row("magnet_entry_sampled", "magnet, the point inet_sendmsg, sampled out")
    row("magnet_entry_dynamic_rejected", "magnet, dynamic point f:, a rule about the process")
    row("magnet_kprobe_rejected", "magnet, dynamic point p:, a rule about the process")
    row("bpf_fentry_empty", "BPF fentry, an empty program")
    row("bpf_fentry_rejected", "BPF fentry, an if about the process")
    row("bpf_kprobe_empty", "BPF kprobe, an empty program")
    row("bpf_kprobe_rejected", "BPF kprobe, an if about the process")
    row("bpftrace_kprobe_rejected", "bpftrace, kprobe, filter about the process")
    row("ftrace_kprobe_rejected", "ftrace, kprobe event, filter about the process")
    row("perf_kprobe_rejected", "perf record, kprobe, filter about the process")

    begin("Tracepoint, rejected", "tracepoint, rejected", "magnet_tracepoint_rejected")
    row("magnet_tracepoint_rejected", "magnet, the point sched_switch, a rule about the process")
    row("magnet_tracepoint_sampled", "magnet, the point sched_switch, sampled out")
    row("bpf_raw_tracepoint_empty", "BPF raw tracepoint, an empty program")
    row("bpf_raw_tracepoint_rejected", "BPF raw tracepoint, an if about the process")
    row("ftrace_tracepoint_rejected", "ftrace, event, filter about a field")
    row("lttng_tracepoint_rejected", "LTTng, event, filter about a field")
    row("lttng_tracepoint_untracked", "LTTng, event, another process is tracked")
    row("perf_tracepoint_rejected", "perf record, event, filter about a field")

    best_tracepoint = cheapest("bpf_raw_tracepoint_record ftrace_tracepoint lttng_tracepoint perf_tracepoint bpftrace_tracepoint_count")
    best_reject = cheapest("bpf_kprobe_rejected bpftrace_kprobe_rejected ftrace_kprobe_rejected perf_kprobe_rejected")
    heading("Aims", "measured|at most|verdict")
    aim("function entry with record, to LTTng's kprobe with tid", cost("magnet_entry") / cost("lttng_kprobe_tid"), 0.2, "%.3f")
    aim("function entry with record, to BPF fentry with ring buffer", cost("magnet_entry") / cost("bpf_fentry_record"), 0.4, "%.3f")
    aim("tracepoint with record, to the best of the others: " best_tracepoint, cost("magnet_tracepoint") / cost(best_tracepoint), 0.4, "%.3f")
    aim("rejected function entry, to an empty BPF fentry", cost("magnet_entry_rejected") / cost("bpf_fentry_empty"), 0.5, "%.3f")
    aim("rejected function entry, to the best reject by kprobe: " best_reject, cost("magnet_entry_rejected") / cost(best_reject), 0.2, "%.3f")
    aim("module loaded, no subscribers: function entry", nothing("entry_loaded"), 0, "%.2f")
    aim("module loaded, no subscribers: tracepoint", nothing("tracepoint_loaded"), 0, "%.2f")
    aim("after the last subscription: function entry", nothing("entry_left"), 0, "%.2f")
    aim("after the last subscription: tracepoint", nothing("tracepoint_left"), 0, "%.2f")
    printf "\naims: %d reached, %d not reached\n", reached, missed
}
