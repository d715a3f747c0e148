# SPDX-License-Identifier: Apache-2.0
#
# What all reports of benchmarks share: tables that go to the terminal and, in Markdown, to the file that -v markdown=FILE
# names. A report sets NAME, with which its complaints begin, and the widths of a table's columns on the terminal.

function fail(text) {
    print NAME ": " text > "/dev/stderr"
    failed = 1
    exit 2
}

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
        printf "%" CELL_WIDTH "s", cell[i]
    print ""
    print "| " text " | " columns_of(cell, n) " |" > markdown
}

# A line of its own, above or below a table.
function say(text) {
    print "\n" text
    print "\n" text > markdown
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
