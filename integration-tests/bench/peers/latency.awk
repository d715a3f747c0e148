# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f latency.awk versions.csv latency.csv: makes a table of what
# measure-latency wrote, and the input of chart.awk. Exit code 2 when one of the ways has not got each event.

# As many as measure-latency makes, and the one before.
BEGIN { EVENTS = 1001 }

{ values[$1, ++events[$1]] = $3 + 0 }

function row(name, text) {
    if (events[name] != EVENTS)
        fail(name " has " events[name] + 0 " events, and should have " EVENTS)
    sort(values, name, events[name])
    line(text, events[name] "|" quantile(values, name, events[name], 0.5) "|" quantile(values, name, events[name], 0.99) "|" \
         values[name, events[name]])
    # Beside LTTng's the others' bars would have no length.
    if (name !~ /^lttng/)
        printf "half of the events\t%s\t%.0f\t%s\n", text, quantile(values, name, events[name], 0.5),
            name ~ /magnet/ ? "own" : "other" > chart
}

END {
    if (failed)
        exit 2
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Nanoseconds of a processor that executes one instruction in each, from the event to the sleeping program. " versions_line() ".")
    heading("Way", "events|p50|p99|max")
    row("magnet_urgent", "magnet, an urgent event, read()")
    row("bpf_ring", "BPF ring buffer, a record that wakes, epoll")
    row("lttng_live", "LTTng live, 1 ms, relayd and babeltrace2")
}
