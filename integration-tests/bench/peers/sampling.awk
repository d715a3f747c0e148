# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f figures.awk -f datagrams.awk -f sampling.awk versions.csv blocks.csv
# sampling.csv: makes a table of what measure-sampling wrote, and the input of chart.awk. Exit code 2 when the points did not
# see each datagram, sampling took another number of events than it should, or the measurement contradicts itself.

BEGIN { POINTS = 4 }

{
    seen = $4 + $5 + $6
    taken = $4 + $5
    if ($3 && seen < POINTS * $2)
        fail($1 ": of " POINTS * $2 " events " seen " are recorded, lost or left out")
    # Each of the points takes the first event and then each Nth.
    if ($3 && (taken < seen / $3 - POINTS || taken > seen / $3 + POINTS))
        fail($1 ": " taken " of " seen " events are taken, and should be one of " $3)
    rows[++number] = $1
    one_of[$1] = $3
    reader[$1] = $8 / $2
    bytes[$1] = $7 / $2
    lost[$1] = taken ? 100 * $5 / taken : 0
}

# The reader takes turns with the sender, so that a block's mean has what both need; half of the blocks may have it.
function row(name, text,    both) {
    both = mean(name) - mean("nothing_again")
    line(text, sprintf("%.0f|%.0f|%.0f|%.1f|%.0f|%.2g", both - reader[name], reader[name], both,
                       throughput(mean("nothing_again"), both), bytes[name], lost[name]))
    printf "kernel and reader, per datagram\t%s\t%.0f\town\n", text, both > chart
}

END {
    if (failed)
        exit 2
    sort_blocks()
    expect_same("nothing", "nothing_again")
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Instructions per datagram of 8,972 bytes over veth, above one that nobody watches. magnet logs 4,000 bytes of it at four points. " versions_line() ".")
    heading("Each point logs", "kernel|reader|both|throughput, %|bytes|% lost")
    for (i = 1; i <= number; i++)
        if (one_of[rows[i]])
            row(rows[i], one_of[rows[i]] == 1 ? "each datagram" : "one of " one_of[rows[i]])
}
