# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What programs share that make a report of a measurement: its table and its chart. Source it; it runs nothing by itself.

TABLES_AWK=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)/tables.awk
CHART_AWK=${TABLES_AWK%/*}/peers/chart.awk

# make_table FILE.md ARGUMENT...: runs awk with tables.awk and these arguments and ends as it does. Only a whole table becomes
# FILE.md: one that ends with anything but 0, or 1 for what is above a limit, leaves none, nor an earlier one and its chart.
make_table() {
    local file=$1 verdict=0
    shift
    rm -f "$file" "${file%.md}.svg"
    awk -v markdown="$file.new" -f "$TABLES_AWK" "$@" || verdict=$?
    if ((verdict <= 1)); then
        mv "$file.new" "$file" || verdict=2
    else
        rm -f "$file.new"
    fi
    return "$verdict"
}

# make_chart TITLE UNIT FILE.tsv FILE.svg: of what a report has written.
make_chart() {
    awk -v title="$1" -v unit="$2" -f "$CHART_AWK" "$3" >"$4.new" && mv "$4.new" "$4"
}

# make_report FOLDER FILE TITLE UNIT ARGUMENT...: the table FILE.md and its chart FILE.svg, of what is in the folder, where awk runs with
# these arguments. Ends as make_table does.
make_report() {
    local folder=$1 file=$2 title=$3 unit=$4 verdict=0
    shift 4
    (cd "$folder" && make_table "$file.md" -v chart="$folder/chart.tsv" "$@") || verdict=$?
    ((verdict > 1)) || make_chart "$title" "$unit" "$folder/chart.tsv" "$file.svg" || verdict=2
    return "$verdict"
}
