# SPDX-License-Identifier: Apache-2.0
#
# What the reports of this folder share: reading of versions.csv and of headings, which is done before what a report says of
# a line; sums of blocks; and the table of aims. On top of tables.awk.

BEGIN {
    FS = ","
    NAME = "bench-peers"
    TEXT_WIDTH = 82
    CELL_WIDTH = 16
}

FILENAME ~ /versions/ { tool_name[++tools] = $1; tool_version[tools] = $2; next }
FNR == 1 { next }

# Sorts values[name, 1] to values[name, n].
function sort(values, name, n,    i, j, value) {
    for (i = 2; i <= n; i++) {
        value = values[name, i]
        for (j = i - 1; j > 0 && values[name, j] > value; j--)
            values[name, j + 1] = values[name, j]
        values[name, j + 1] = value
    }
}

# The value that this share of the sorted ones is below.
function quantile(values, name, n, share) { return values[name, 1 + int((n - 1) * share + 0.5)] }

# A row of the table of aims: no more than LIMIT.
function aim(text, value, limit, format) {
    line(text, sprintf(format, value) "|" limit "|" (value <= limit ? "reached" : "NOT REACHED"))
    if (value <= limit)
        reached++
    else
        missed++
}

# The same of what this run does not say anything about.
function untested(text, why, limit) {
    line(text, why "|" limit "|NOT TESTED")
    missed++
}

function versions_line(    i, all) {
    for (i = 1; i <= tools; i++)
        all = all (i > 1 ? ", " : "") tool_name[i] " " tool_version[i]
    return all
}
