# SPDX-License-Identifier: Apache-2.0
#
# Reads TEST-*.xml of Maven's test runners. Prints, with tabs between,
#   class    NAME  SECONDS  TESTS  SKIPPED    for each class
#   problem  NAME  TEST  TYPE                 for each test that failed: TYPE is the class of what was thrown; TEST is - where
#                                             it was before or after all tests of the class
# What tests and programs wrote stands there as CDATA, and is passed over.
BEGIN { OFS = "\t" }

# The value of this attribute, which may not hold a quote; empty if it is not there.
function attribute(tag, name,   at) {
    if (!match(tag, " " name "=\"[^\"]*\"")) return ""
    at = length(name) + 3
    return unescaped(substr(tag, RSTART + at, RLENGTH - at - 1))
}

function unescaped(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&#(9|10|13);/, " ", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

function opened(tag,   test) {
    if (tag ~ /^<testsuite[ >]/) {
        suite = attribute(tag, "name")
        print "class", suite, attribute(tag, "time") + 0, attribute(tag, "tests") + 0, attribute(tag, "skipped") + 0
    } else if (tag ~ /^<testcase /) {
        testcase = attribute(tag, "name")
    } else if (tag ~ /^<(failure|error)[ >\/]/) {
        test = testcase == "" || testcase == suite ? "-" : testcase
        print "problem", suite, test, attribute(tag, "type") == "" ? "-" : attribute(tag, "type")
    }
}

FNR == 1 { rest = ""; text = 0; suite = testcase = "" }
{
    rest = rest $0 "\n"
    while (rest != "") {
        if (text) {
            if (!(at = index(rest, "]]>"))) { rest = substr(rest, length(rest) - 1); break }
            rest = substr(rest, at + 3)
            text = 0
        } else if (!(at = index(rest, "<"))) {
            rest = ""
        } else {
            rest = substr(rest, at)
            if (substr(rest, 1, 9) == "<![CDATA[") {
                rest = substr(rest, 10)
                text = 1
            } else if (at = index(rest, ">")) {
                opened(substr(rest, 1, at))
                rest = substr(rest, at + 1)
            } else break
        }
    }
}
