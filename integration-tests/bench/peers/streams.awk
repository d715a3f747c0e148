# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f datagrams.awk -f streams.awk versions.csv blocks.csv
# streams.csv: makes a table of what measure-streams wrote, and the input of chart.awk. Exit code 2 when a datagram that should
# be recorded was not, a filter let others pass, or the measurement contradicts itself.

{
    if ($4 + $5 < $3)
        fail($1 ": of " $3 " datagrams " $4 " are recorded and " $5 " lost")
    # Without a filter, what else passes the device is recorded as well.
    if ($1 ~ /filter/ && $4 + $5 != $3)
        fail($1 ": " $4 + $5 " datagrams are recorded or lost, and should be " $3)
    datagrams[$1] = $2
    recorded[$1] = $4
    lost[$1] = $5
    reader[$1] = $8
}

function above(row, stream) { return median(row "_" stream) - median("nothing_again_" stream) }

function row(name, text,    alone, more) {
    if (!(name in datagrams))
        fail("there is no row " name)
    alone = median("nothing_again_wanted") + median("nothing_again_other")
    more = above(name, "wanted") + above(name, "other") + 2 * reader[name] / datagrams[name]
    line(text, sprintf("%.0f|%.0f|%.0f|%.1f|%d|%.2g", above(name, "wanted"), above(name, "other"),
                       recorded[name] ? reader[name] / recorded[name] : 0, throughput(alone, more), recorded[name],
                       recorded[name] ? 100 * lost[name] / (recorded[name] + lost[name]) : 0))
    printf "kernel and reader, per two datagrams\t%s\t%.0f\t%s\n", text, more, name ~ /magnet/ ? "own" : "other" > chart
}

END {
    if (failed)
        exit 2
    sort_blocks()
    expect_same("nothing_wanted", "nothing_again_wanted")
    expect_same("nothing_other", "nothing_again_other")
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Two threads send datagrams of 8,972 bytes at the same time. Instructions above one that nobody watches; those of the reader per datagram that is recorded. " versions_line() ".")
    heading("Watched by", "of the wanted|of the other|reader|throughput, %|recorded|% lost")
    row("magnet_both", "magnet, both streams")
    row("magnet_filter", "magnet, a rule takes one thread's")
    row("tcpdump_both", "tcpdump, both streams")
    row("tcpdump_filter", "tcpdump, a filter takes one port's")
}
