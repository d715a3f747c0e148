# SPDX-License-Identifier: Apache-2.0
#
# awk -v kernel=RELEASE -v markdown=FILE -f tables.awk -f report.awk: turns what measure printed into tables.
# Exit code 1 when a cost is above its limit, 2 when the measurement contradicts itself: hits that should have been seen were
# not, or the steps do not explain the whole.

BEGIN {
    # The sum of the steps and the whole may differ by so much: the compiler orders a part of a handler otherwise.
    NEAR = 3
    NAME = "bench"
    TEXT_WIDTH = 62
    CELL_WIDTH = 12
    # A limit is the figure of docs/overhead.md, which is the same in every run. What is promised beside others, a share of what
    # they cost, make bench-peers judges.
    RECORD = 106
    TRACEPOINT_RECORD = 68
    REFUSED = 63
    FORK_NOISE = 1000
    FORK_TRACED = 3000
}

$1 == "step" { steps[$2, $3] = $4; next }
$1 == "counted" { look_at_counts($2, $3, $4); next }
{ median[$1] = $2 }

# Whether what a subscription has counted is what had to become of the loop's hits. Others come by as well, but not often.
function right(what, loop, n) {
    if (what == "elsewhere")
        return n["hits"] < loop / 10 && n["committed"] == n["hits"]
    if (n["hits"] < loop || n["hits"] != n["committed"] + n["filtered"] + n["sampled_out"] + n["dropped_full"])
        return 0
    if (what == "logged")
        return n["committed"] == n["hits"]
    # The first event of sampling is logged.
    if (what == "refused")
        return n["committed"] <= 1 && !n["dropped_full"]
    # The median is that of a lost one.
    return what == "lost" && n["dropped_full"] > n["hits"] / 2
}

# From a line of measure's, whose numbers stand behind the point's name.
function look_at_counts(name, what, loop,    i, pair, n) {
    for (i = 6; i <= NF; i++) {
        split($i, pair, "=")
        n[pair[1]] = pair[2] + 0
    }
    if (!("hits" in n) || !right(what, loop, n))
        fail(name ": the hits were not all " what ": " $0)
    looked_at[name] = 1
}

# Without a subscription there is nothing that counts.
function subscribes(name) { return name !~ /^(before|loaded|left|after|traced)_|_bare$/ }

# What a row costs above another one, in whole instructions.
function cost(name, base) {
    if (!(name in median) || !(base in median))
        fail("nothing was measured for " (name in median ? base : name))
    if (subscribes(name) && !(name in looked_at))
        fail("nothing was counted for " name)
    return sprintf("%.0f", median[name] - median[base]) + 0
}

# What a row says of its limit; "" is none.
function judge(c, limit) {
    if (limit == "")
        return ""
    if (c > limit) {
        exceeded++
        return "TOO MUCH"
    }
    passed++
    return "ok"
}

# Aim and limit may be missing: "".
function row(text, c, aim, limit) { line(text, c "|" aim "|" limit "|" judge(c, limit)) }

function empty(handler, bare) {
    return bare + steps[handler, "guard"] + steps[handler, "rules"] + steps[handler, "arguments"]
}

# What a row costs above the empty subscription.
function above(text, c, base, limit) {
    line(text, sprintf("%.0f|%.1f|%s|%s", c, c - base, limit, judge(c - base, limit)))
}

# The same with a limit for the whole.
function above_in_all(text, c, base, limit) {
    line(text, sprintf("%.0f|%.1f|%d in all|%s", c, c - base, limit, judge(c, limit)))
}

# No more than nothing is nothing, and less would be an error as well.
function nothing(text, c) { row(text, c < 0 ? -c : c, 0, 0) }

function step(text, name) { line(text, steps["entry", name] "|" steps["tracepoint", name]) }

function agree(what, sum, whole) {
    if (sum - whole > NEAR || whole - sum > NEAR)
        fail(what ": the steps add up to " sum ", the whole is " whole)
}

# Forks differ a little by themselves: pages and pids lie elsewhere.
function fork_row(text, name, limit,    c) {
    c = cost(name, "before_fork")
    line(text, sprintf("%d|%.2f %%|%d|%s", c, c / median["before_fork"] * 100, limit, judge(c, limit)))
}

function packet_point(name, how, limit) { row(name ": " how, cost(name, "before_dropped"), "", limit) }

# The table of steps: what the handlers of this kernel cost, and that the steps explain it.
function ladder(entry, entry_bare, tracepoint, tracepoint_bare,    entry_steps, tracepoint_steps) {
    entry_steps = steps["entry", "sum"]
    tracepoint_steps = steps["tracepoint", "sum"]
    agree("function entry, called directly", entry_steps, steps["entry", "handler"])
    agree("tracepoint, called directly", tracepoint_steps, steps["tracepoint", "handler"])
    agree("function entry", entry_bare + entry_steps, entry)
    agree("tracepoint", tracepoint_bare + tracepoint_steps, tracepoint)

    heading("Where they go", "entry|tracepoint")
    line("probe: the hook with an empty handler", entry_bare "|" tracepoint_bare)
    step("guard: preemption off and on, recursion", "guard")
    step("rules: subscriptions of this CPU, hits, more of them?", "rules")
    step("reserve: space in the ring, position of the record", "reserve")
    step("arguments: what the event is about", "arguments")
    step("fields: header, payload", "fields")
    step("clock: read the TSC", "clock")
    step("commit: counters, publish", "commit")
    step("wake check: does a reader want to be woken?", "wake_check")
    line("not explained by a step", entry - entry_bare - entry_steps "|" tracepoint - tracepoint_bare - tracepoint_steps)
    line("whole", entry "|" tracepoint)
}

END {
    if (failed)
        exit 2
    if (cost("after_entry", "before_entry") || cost("after_tracepoint", "before_tracepoint"))
        fail("the loop alone did not cost the same before and after")

    printf "\nInstructions per event, kernel %s\n", kernel
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->\n\nInstructions per event, kernel " kernel > markdown

    entry_bare = cost("entry_bare", "before_entry")
    entry = cost("entry", "before_entry")
    tracepoint_bare = cost("tracepoint_bare", "before_tracepoint")
    tracepoint = cost("tracepoint", "before_tracepoint")

    heading("Function entry, above the loop with nothing loaded", "cost|aim|limit|verdict")
    row("an empty ftrace_ops, for comparison", entry_bare)
    row("one subscription, 40-byte record, nobody reads", entry, 110, RECORD)
    row("one subscription, a reader sleeps until 256 KiB are there", cost("entry_reader", "before_entry"), 110, RECORD)
    row("two subscriptions, a buffer each", cost("entry_two", "before_entry"))
    row("one subscription, no room left: counted as lost", cost("entry_full", "before_entry"))
    row("layout=classic, which only readers notice", cost("entry_classic", "before_entry"))
    row("clock=mono", cost("entry_mono", "before_entry"))

    # An empty subscription does all that comes before the ring.
    counted = empty("entry", entry_bare)
    tracepoint_counted = empty("tracepoint", tracepoint_bare)
    rejected = cost("entry_rejected", "before_entry")
    heading("Function entry with filters, above the loop with nothing loaded", "cost|above empty|limit|verdict")
    line("an empty subscription: the hit is counted, and not logged", counted "|0||")
    above("a rule about a field rejects the event", rejected, counted, 22)
    above_in_all("a rule about the process rejects it", cost("entry_rejected_by_process", "before_entry"), counted, REFUSED)
    above("a rule of two tests of fields rejects it", cost("entry_rejected_by_two", "before_entry"), counted, 30)
    above("a rule about the process, of three values, rejects it", cost("entry_rejected_by_three", "before_entry"), counted, 14)
    above("the second rule rejects it, the first of two tests does not fit", cost("entry_rejected_second", "before_entry"), counted, 30)
    above("the ninth rule rejects it, for each of the eight before it", (cost("entry_rejected_last", "before_entry") - rejected) / 8, 0, 8)
    above("sampling, one of N, leaves it out", cost("entry_sampled", "before_entry"), counted, -8)
    above("a rule lets it pass: 40-byte record", cost("entry_passed", "before_entry"), counted)
    above("tracepoint: a rule rejects it", cost("tracepoint_rejected", "before_tracepoint"), tracepoint_counted, 20)
    above("tracepoint: a rule about the process rejects it", cost("tracepoint_rejected_by_process", "before_tracepoint"), tracepoint_counted, 20)
    above("tracepoint: sampling leaves it out", cost("tracepoint_sampled", "before_tracepoint"), tracepoint_counted, 13)

    heading("Tracepoint", "cost|aim|limit|verdict")
    row("an empty probe, above the loop with nothing loaded", tracepoint_bare)
    row("one subscription, 40-byte record, above the empty probe", tracepoint - tracepoint_bare, 55, TRACEPOINT_RECORD)

    heading("Dynamic point: the same function entry, one field", "cost|aim|limit|verdict")
    row("one subscription, 40-byte record, nobody reads", cost("dynamic", "before_entry"))
    row("a rule about the field rejects it", cost("dynamic_rejected", "before_entry"))
    row("a rule about the process rejects it", cost("dynamic_rejected_by_process", "before_entry"))

    heading("Points of a datagram to a socket that is full, above the loop with nothing loaded", "cost|aim|limit|verdict")
    packet_point("ip_send_skb", "function entry", 123)
    packet_point("dev_queue_xmit", "function entry", 139)
    packet_point("net_dev_start_xmit", "tracepoint", 116)
    packet_point("net_dev_xmit", "tracepoint", 100)
    packet_point("netif_receive_skb", "tracepoint", 103)
    packet_point("udp_rcv", "function entry", 124)
    packet_point("kfree_skb", "tracepoint, 64-byte record", 100)

    heading("No subscribers, above the loop with nothing loaded", "cost|aim|limit|verdict")
    nothing("function entry, module loaded", cost("loaded_entry", "before_entry"))
    nothing("function entry, another point is subscribed", cost("other_entry", "before_entry"))
    nothing("function entry, after its last subscription", cost("left_entry", "before_entry"))
    nothing("tracepoint, module loaded", cost("loaded_tracepoint", "before_tracepoint"))
    nothing("tracepoint, another point is subscribed", cost("other_tracepoint", "before_tracepoint"))
    nothing("tracepoint, after its last subscription", cost("left_tracepoint", "before_tracepoint"))

    heading("magnet_gtrace: fork(), exit and wait() of a child, above " sprintf("%.0f", median["before_fork"]), "cost|share|limit|verdict")
    fork_row("the module is loaded, there is no task", "loaded_fork", FORK_NOISE)
    fork_row("the parent is in a task: events fork and exit", "traced_fork", FORK_TRACED)
    fork_row("after the last task", "left_fork", FORK_NOISE)
    fork_row("the module is removed", "after_fork", FORK_NOISE)

    ladder(entry, entry_bare, tracepoint, tracepoint_bare)
    printf "\nlimits: %d passed, %d failed\n", passed, exceeded
    exit exceeded > 0
}
