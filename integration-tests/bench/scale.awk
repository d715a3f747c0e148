# SPDX-License-Identifier: Apache-2.0
#
# awk -v kernel=RELEASE -v markdown=FILE -v chart=FILE -f tables.awk -f scale.awk scale.csv...: turns what measure-scale wrote, of
# guests with different numbers of processors, into a table, and the input of chart.awk. What the guest's instructions can tell of
# processors, and what not, is said there. Exit code 1 when a processor or a point more makes an event dearer, or a rule
# more than it may; 2 when a size was not measured.

BEGIN {
    FS = ","
    NAME = "bench-scale"
    TEXT_WIDTH = 50
    CELL_WIDTH = 10
    # Instructions of a rule that is asked in vain.
    RULE = 8
    PLACES["cpus"] = "an event, the loop runs on all processors: number"
    PLACES["points"] = "an event, others enabled as well: points"
    PLACES["rules"] = "an event that the last rule rejects: rules"
    PLACES["reader"] = "its reader, an event: processors"
    split("cpus reader points rules", order, " ")
    SIZES["cpus"] = SIZES["reader"] = "1 2 4 8"
    SIZES["points"] = "0 1 10 100"
    SIZES["rules"] = "1 2 4 8 16 32 64"
}

FNR == 1 { next }
{
    numbers[$1, ++n[$1]] = $2
    cost[$1, $2] = $3
    spread[$1, $2] = $4
}

function grows(what, by,    i, first, last) {
    for (i = 2; i <= n[what]; i++) {
        first = numbers[what, i - 1]
        last = numbers[what, i]
        if (cost[what, last] - cost[what, first] > by * (last - first)) {
            print NAME ": " PLACES[what] ": " last " cost " cost[what, last] ", " first " cost " cost[what, first] > "/dev/stderr"
            exceeded++
        }
    }
}

function require_all(what,    i, size) {
    for (i = split(SIZES[what], size, " "); i; i--)
        if (!((what, size[i]) in cost))
            fail("nothing was measured of " what " " size[i])
}

function print_rows(what,    i, number) {
    require_all(what)
    for (i = 1; i <= n[what]; i++) {
        number = numbers[what, i]
        line(PLACES[what] " " number, sprintf("%.1f|%s", cost[what, number], spread[what, number]))
        printf "%s\t%s\t%.0f\town\n", PLACES[what], number, cost[what, number] > chart
    }
}

END {
    if (failed)
        exit 2
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown
    say("Instructions of an event, kernel " kernel)
    heading("What, and by what number", "cost|spread")
    for (i = 1; i <= 4; i++)
        print_rows(order[i])
    grows("cpus", 0)
    grows("points", 0)
    grows("rules", RULE)
    exit exceeded > 0
}
