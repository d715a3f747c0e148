# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f datagrams.awk -f udp.awk versions.csv blocks.csv udp.csv loss.csv:
# makes tables of what measure-udp wrote, and the input of chart.awk. Exit code 2 when a point did not see every datagram, or the measurement
# contradicts itself.

BEGIN { split("100 500 1000 2000 4000", snap, " ") }

{
    if ($5 + $6 < $3 * $4)
        fail($1 ": of " $3 * $4 " events " $5 " are recorded and " $6 " lost")
}
FILENAME ~ /udp/ {
    points[$1] = $4
    readers[$1, ++reads[$1]] = $8 / $3
    bytes[$1] = $7 / $3
    events[$1] += $5 + $6
    lost[$1] += $6
    next
}
{
    losses[$1, ++runs[$1]] = share($6, $5 + $6)
    events_of_two[$1] += $5 + $6
    lost_of_two[$1] += $6
}

# In percent.
function share(lost, events) { return events ? 100 * lost / events : 0 }

function kernel_at(name, part) { return quantile(values, name, blocks[name], part) - median("nothing_again") }
function kernel(name) { return kernel_at(name, 0.5) }
# From run to run a datagram costs one of two figures, which are 4 apart, whatever is loaded: this is the lower one.
function cheapest(name) { return quantile(values, name, blocks[name], 0.25) }

function both(name) {
    if (!(name in points))
        fail("there is no row " name)
    return kernel(name) + reader(name)
}
function reader(name) { return quantile(readers, name, reads[name], 0.5) }

# Bytes that reach the reader's file in a second of a processor that executes an instruction each nanosecond, in MB.
function goodput(name) { return 1e3 * bytes[name] / (median("nothing_again") + both(name)) }

function row(name, text, tcpdump) {
    if (!(name in points) || (points[name] && !runs[name] && name !~ /^dump/))
        fail("there is no row " name)
    line(text, sprintf("%.0f|%.0f to %.0f|%.0f|%.0f to %.0f|%.0f|%s|%.1f|%.0f|%.0f|%s|%s", kernel(name), kernel_at(name, 0.25),
                       kernel_at(name, 0.75), reader(name), readers[name, 1], readers[name, reads[name]], both(name),
                       tcpdump ? sprintf("%.2f", both(name) / both(tcpdump)) : "",
                       throughput(median("nothing_again"), both(name)), bytes[name], goodput(name),
                       points[name] ? sprintf("%.2g", share(lost[name], events[name])) : "",
                       runs[name] && points[name] ? sprintf("%.2g to %.2g", losses[name, 1], losses[name, runs[name]]) : ""))
    if (points[name])
        printf "kernel and reader, per datagram\t%s\t%.0f\t%s\n", text, both(name), tcpdump ? "own" : "other" > chart
}

END {
    if (failed)
        exit 2
    sort_blocks()
    for (name in runs)
        sort(losses, name, runs[name])
    for (name in reads)
        sort(readers, name, reads[name])
    expect_same("nothing", "nothing_again")
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Instructions per datagram of 8,972 bytes over veth, above the " sprintf("%.0f", median("nothing_again")) " of one that nobody watches. " versions_line() ".")
    heading("Watched by", "kernel|middle half|reader|all runs|both|times tcpdump|throughput, %|bytes|MB/s|% lost|of 2 CPUs")
    row("loaded", "magnet, module loaded, points off", "")
    for (i = 1; i <= 4; i++)
        row("magnet_" i, "magnet, " i (i > 1 ? " points" : " point"), "tcpdump_100")
    for (i = 1; i <= 5; i++)
        row("magnet_bytes_" snap[i], "magnet, 1 point, " snap[i] " bytes of the packet", "tcpdump_" snap[i])
    for (i = 1; i <= 5; i += 2)
        row("dump_" snap[i], "magnet dump -s " snap[i] ", the Java program", "tcpdump_" snap[i])
    for (i = 1; i <= 5; i++)
        row("tcpdump_" snap[i], "tcpdump -s " snap[i], "")

    for (i = 1; i <= 5; i++) {
        ours = "magnet_bytes_" snap[i]
        theirs = "tcpdump_" snap[i]
        if (lost_of_two[theirs]) {
            compared++
            also_lost += lost_of_two[ours]
        }
        more = share(lost_of_two[ours], events_of_two[ours]) - share(lost_of_two[theirs], events_of_two[theirs])
        most = more > most ? more : most
    }
    heading("Aims", "measured|at most|verdict")
    aim("module loaded, points off: instructions, of the cheapest quarter of the blocks", cheapest("loaded") - cheapest("nothing_again"), 0, "%.0f")
    aim("1 point, to tcpdump -s 100", both("magnet_1") / both("tcpdump_100"), 0.1, "%.3f")
    aim("4 points, to tcpdump -s 100", both("magnet_4") / both("tcpdump_100"), 0.333, "%.3f")
    aim("4000 bytes of the packet, to tcpdump -s 4000", both("magnet_bytes_4000") / both("tcpdump_4000"), 0.6, "%.3f")
    if (compared)
        aim("events lost of as many bytes as tcpdump lost packets of, 2 CPUs", also_lost, 0, "%d")
    else
        untested("events lost of as many bytes as tcpdump lost packets of, 2 CPUs", "tcpdump lost none", 0)
    aim("share lost above tcpdump's of as many bytes, the most, in percent, 2 CPUs", most, 0, "%.2f")
    printf "\naims: %d reached, %d not reached\n", reached, missed
}
