# SPDX-License-Identifier: Apache-2.0
#
# awk -v title=TEXT -v unit=TEXT -f chart.awk: draws lines of section, text, value, and "own" or "other", with tabs between
# them, as bars: an SVG on stdout. The sections keep their order; in each, the bars are from the shortest to the longest.

BEGIN {
    FS = "\t"
    WIDTH = 920
    TEXT = 420
    ROW = 20
    GAP = 14
}

{
    n++
    if ($1 != last)
        section[++sections] = last = $1
    of[n] = sections
    text[n] = $2
    value[n] = $3 + 0
    own[n] = $4 == "own"
    if (value[n] > most)
        most = value[n]
}

function escaped(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    return s
}

function write(x, y, s, attributes) {
    printf "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, attributes, escaped(s)
}

# The bar of its section that has not been drawn and is the shortest.
function next_bar(s,    i, best) {
    for (i = 1; i <= n; i++)
        if (of[i] == s && !drawn[i] && (!best || value[i] < value[best]))
            best = i
    return best
}

function bar(i, y,    width) {
    width = int(value[i] * (WIDTH - TEXT - 70) / most + 0.5)
    write(TEXT - 8, y + 14, text[i], " text-anchor=\"end\"" (own[i] ? " font-weight=\"bold\"" : ""))
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", TEXT, y + 3, width, ROW - 6, own[i] ? "#c0392b" : "#7f8c8d"
    write(TEXT + width + 6, y + 14, value[i], "")
}

END {
    if (!most) {
        print "chart: no bar is longer than nothing" > "/dev/stderr"
        exit 2
    }
    height = 40 + n * ROW + sections * (ROW + GAP) + GAP
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", WIDTH, height
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    write(16, 26, title ", " unit, " font-size=\"16\" font-weight=\"bold\"")
    y = 40
    for (s = 1; s <= sections; s++) {
        y += GAP
        write(16, y + 14, section[s], " font-weight=\"bold\"")
        y += ROW
        while (i = next_bar(s)) {
            drawn[i] = 1
            bar(i, y)
            y += ROW
        }
    }
    print "</svg>"
}
