# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f figures.awk -f cost.awk versions.csv rows.csv blocks.csv: makes tables of what
# measure-cost wrote, and the input of chart.awk. Exit code 2 when a tool did not do with every event what the row says, or
# the measurement contradicts itself. An aim that is not reached is no error.

BEGIN { FS = "," }

FILENAME ~ /versions/ { tool_name[++tools] = $1; tool_version[tools] = $2; next }
FNR == 1 { next }
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

# OWN is magnet's row in whose multiples the last column is, or "".
function row(name, text, own,    ratio, tool) {
    if (!(name in what))
        fail("there is no row " name)
    check(name)
    tool = name
    sub(/_.*/, "", tool)
    ratio = own ? sprintf("%.2f", cost(name) / cost(own)) : ""
    line(text, sprintf("%d|%.0f to %.0f|%s|%s", cost(name), above(name, 0.25), above(name, 0.75),
                       what[name] == "record" && bytes[name] > 0 ? bytes[name] : "", ratio))
    printf "%s\t%s\t%d\t%s\n", section, text, cost(name), tool == "magnet" ? "own" : "other" > chart
}

function begin(text, short) {
    section = short
    heading(text, "instructions|middle half|bytes|times magnet")
}

# The cheapest of the rows, whose names are separated by blanks.
function cheapest(names,    name, n, i, best) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (!i || !best || cost(name[i]) < cost(best))
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

    begin("Function entry, `inet_sendmsg`, with a record", "function entry with a record")
    row("magnet_entry", "magnet, the point inet_sendmsg", "magnet_entry")
    row("magnet_entry_dynamic", "magnet, dynamic point f:, one field", "magnet_entry")
    row("magnet_kprobe", "magnet, dynamic point p: (kprobe), one field", "magnet_entry")
    row("bpf_fentry_record", "BPF fentry, ring buffer", "magnet_entry")
    row("bpf_kprobe_record", "BPF kprobe, ring buffer", "magnet_entry")
    row("ftrace_function", "ftrace, function tracer", "magnet_entry")
    row("ftrace_kprobe", "ftrace, kprobe event", "magnet_entry")
    row("ftrace_kprobe_40", "ftrace, kprobe event with three fields", "magnet_entry")
    row("lttng_kprobe", "LTTng, kprobe", "magnet_entry")
    row("lttng_kprobe_tid", "LTTng, kprobe with tid", "magnet_entry")
    row("lttng_kprobe_pid_tid_procname", "LTTng, kprobe with pid, tid, procname", "magnet_entry")
    row("perf_kprobe", "perf record, kprobe", "magnet_entry")
    row("bpftrace_kprobe_count", "bpftrace, kprobe, count() and no record", "magnet_entry")
    row("bpftrace_kprobe_printf", "bpftrace, kprobe, printf() of five values", "magnet_entry")

    begin("Function return, with a record", "function return with a record")
    row("magnet_kretprobe", "magnet, dynamic point r: (kretprobe), with the latency", "magnet_kretprobe")
    row("bpf_fexit_record", "BPF fexit, ring buffer", "magnet_kretprobe")
    row("bpf_kretprobe_record", "BPF kretprobe, ring buffer", "magnet_kretprobe")
    row("ftrace_kretprobe", "ftrace, kretprobe event", "magnet_kretprobe")
    row("lttng_kretprobe", "LTTng, kretprobe: an event at the entry, one at the return", "magnet_kretprobe")
    row("perf_kretprobe", "perf record, kretprobe", "magnet_kretprobe")

    begin("Tracepoint, `sched_switch`, with a record", "tracepoint with a record")
    row("magnet_tracepoint", "magnet, the point sched_switch", "magnet_tracepoint")
    row("magnet_tracepoint_dynamic", "magnet, dynamic point t:, one field", "magnet_tracepoint")
    row("bpf_raw_tracepoint_record", "BPF raw tracepoint, ring buffer", "magnet_tracepoint")
    row("ftrace_tracepoint", "ftrace, event", "magnet_tracepoint")
    row("lttng_tracepoint", "LTTng, event", "magnet_tracepoint")
    row("lttng_tracepoint_tid", "LTTng, event with tid", "magnet_tracepoint")
    row("perf_tracepoint", "perf record, event", "magnet_tracepoint")
    row("bpftrace_tracepoint_count", "bpftrace, count() and no record", "magnet_tracepoint")

    begin("Function entry, rejected", "function entry, rejected")
    row("magnet_entry_rejected", "magnet, the point inet_sendmsg, a rule about the process", "magnet_entry_rejected")
    row("magnet_entry_sampled", "magnet, the point inet_sendmsg, sampled out", "magnet_entry_rejected")
    row("magnet_entry_dynamic_rejected", "magnet, dynamic point f:, a rule about the process", "magnet_entry_rejected")
    row("magnet_kprobe_rejected", "magnet, dynamic point p:, a rule about the process", "magnet_entry_rejected")
    row("bpf_fentry_empty", "BPF fentry, an empty program", "magnet_entry_rejected")
    row("bpf_fentry_rejected", "BPF fentry, an if about the process", "magnet_entry_rejected")
    row("bpf_kprobe_empty", "BPF kprobe, an empty program", "magnet_entry_rejected")
    row("bpf_kprobe_rejected", "BPF kprobe, an if about the process", "magnet_entry_rejected")
    row("bpftrace_kprobe_rejected", "bpftrace, kprobe, filter about the process", "magnet_entry_rejected")
    row("ftrace_kprobe_rejected", "ftrace, kprobe event, filter about the process", "magnet_entry_rejected")
    row("perf_kprobe_rejected", "perf record, kprobe, filter about the process", "magnet_entry_rejected")

    begin("Tracepoint, rejected", "tracepoint, rejected")
    row("magnet_tracepoint_rejected", "magnet, the point sched_switch, a rule about the process", "magnet_tracepoint_rejected")
    row("magnet_tracepoint_sampled", "magnet, the point sched_switch, sampled out", "magnet_tracepoint_rejected")
    row("bpf_raw_tracepoint_empty", "BPF raw tracepoint, an empty program", "magnet_tracepoint_rejected")
    row("bpf_raw_tracepoint_rejected", "BPF raw tracepoint, an if about the process", "magnet_tracepoint_rejected")
    row("ftrace_tracepoint_rejected", "ftrace, event, filter about a field", "magnet_tracepoint_rejected")
    row("lttng_tracepoint_rejected", "LTTng, event, filter about a field", "magnet_tracepoint_rejected")
    row("lttng_tracepoint_untracked", "LTTng, event, another process is tracked", "magnet_tracepoint_rejected")
    row("perf_tracepoint_rejected", "perf record, event, filter about a field", "magnet_tracepoint_rejected")

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
