# SPDX-License-Identifier: Apache-2.0
#
# What the reports of this folder share: sums of blocks, and tables that go to the terminal and, in Markdown, to the file
# that -v markdown=FILE names.

BEGIN { TEXT_WIDTH = 82 }

function fail(text) {
    print "bench-peers: " text > "/dev/stderr"
    failed = 1
    exit 2
}

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

function columns_of(cell, n,    i, all) {
    for (i = 1; i <= n; i++)
        all = all (i > 1 ? " | " : "") cell[i]
    return all
}

# The columns right of the text are given in one string, with bars between them.
function line(text, columns,    cell, n, i) {
    n = split(columns, cell, "|")
    printf "  %-" TEXT_WIDTH "s", text
    for (i = 1; i <= n; i++)
        printf "%14s", cell[i]
    print ""
    print "| " text " | " columns_of(cell, n) " |" > markdown
}

function heading(text, columns,    dashes) {
    print ""
    print "" > markdown
    line(text, columns)
    dashes = columns
    gsub(/[^|]+/, "---:", dashes)
    gsub(/\|/, " | ", dashes)
    print "| --- | " dashes " |" > markdown
}

function say(text) {
    print "\n" text
    print "\n" text > markdown
}

# A row of the table of aims: no more than LIMIT.
function aim(text, value, limit, format) {
    line(text, sprintf(format, value) "|" limit "|" (value <= limit ? "reached" : "NOT REACHED"))
    if (value <= limit)
        reached++
    else
        missed++
}

function versions_line(    i, all) {
    for (i = 1; i <= tools; i++)
        all = all (i > 1 ? ", " : "") tool_name[i] " " tool_version[i]
    return all
}
