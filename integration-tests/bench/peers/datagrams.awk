# SPDX-License-Identifier: Apache-2.0
#
# What the reports share that datagrams.sh's measurements make: what a datagram costs its sender, from blocks.csv. On top of
# figures.awk.

# Without anybody watching, a datagram costs the same before and after, within this share. It is the one after that the
# others are compared with: what runs first in a guest costs a few instructions more.
BEGIN { SAME = 0.001 }

FILENAME ~ /blocks/ { values[$1, ++blocks[$1]] = $3 + 0; sums[$1] += $3; next }

function sort_blocks(    name) {
    for (name in blocks)
        sort(values, name, blocks[name])
}

function median(name) {
    if (!blocks[name])
        fail("nothing was measured for " name)
    return quantile(values, name, blocks[name], 0.5)
}

function mean(name) {
    if (!blocks[name])
        fail("nothing was measured for " name)
    return sums[name] / blocks[name]
}

function expect_same(before, after,    change) {
    change = median(after) / median(before) - 1
    if (change > SAME || change < -SAME)
        fail("a datagram nobody watches did not cost the same before and after")
}

# What is left of the throughput, in percent, when a datagram costs this much more and who sends shares a processor with who
# reads.
function throughput(alone, more) { return 100 * alone / (alone + more) }
