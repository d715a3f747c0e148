# SPDX-License-Identifier: Apache-2.0
#
# awk -v markdown=FILE -v chart=FILE -f tables.awk -f cluster.awk: makes tables of ClusterCost's figures, lines of
# nodes,figure,value, and the input of peers/chart.awk.
# Exit code 1 when a packet was lost, a value differs or a file is missing or was not written, 2 when a figure is missing, or the
# nodes did not send as much as nodes do.

BEGIN {
    FS = ","
    NAME = "bench-cluster"
    TEXT_WIDTH = 58
    CELL_WIDTH = 12
    # Seconds between two packets of a metric's value, SimulatedCluster.PUBLISH_SECONDS, and of its metadata.
    PUBLISH = 5
    METADATA = 60
    NEAR = 0.01
}

FNR == 1 { next }
{
    if (!($1 in seen)) {
        seen[$1] = 1
        sizes[++count] = $1
    }
    figure[$1, $2] = $3
}

function get(size, name) {
    if (!((size, name) in figure))
        fail("nothing was measured for " name " of " size " nodes")
    return figure[size, name]
}

# A row of one expression, which value() knows by its name.
function row(text, name, format,    i, cells) {
    for (i = 1; i <= count; i++)
        cells = cells (i > 1 ? "|" : "") sprintf(format, value(sizes[i], name))
    line(text, cells)
}

function bars(daemon, name,    i) {
    for (i = 1; i <= count; i++)
        printf "%s\t%s nodes\t%.2f\tother\n", daemon, sizes[i], value(sizes[i], name) > chart
}

# A row in which anything but 0 is wrong.
function none(text, name,    i) {
    for (i = 1; i <= count; i++)
        if (value(sizes[i], name) != 0) {
            print NAME ": " sizes[i] " nodes: " text ": " value(sizes[i], name) > "/dev/stderr"
            bad = 1
        }
    row(text, name, "%d")
}

function packets(size) { return get(size, "values") + get(size, "metadata") }
function per_second(size, name) { return get(size, name) / get(size, "seconds") }
function answering(size) { return get(size, "gmond_cpu_seconds") - get(size, "gmond_receiving_cpu_seconds") }
function telling(size) { return get(size, "gmetad_cpu_seconds") - get(size, "gmetad_polling_cpu_seconds") }
function polls(size) {
    if (get(size, "polls") == 0)
        fail(size " nodes: gmetad did not poll while it was looked at; measure for longer")
    return get(size, "polls")
}
function writes(size) {
    if (get(size, "rrd_files") == 0)
        fail(size " nodes: gmetad made no RRD file")
    return get(size, "rrd_files") * polls(size)
}

# A gmetad has a file for each metric of a host, and two for the sums of the cluster and of the grid; one above it those of sums
# alone.
function not_expected(size, name, hosts,    difference) {
    difference = get(size, name) - (hosts + 2) * get(size, "metrics")
    return difference < 0 ? -difference : difference
}

# Of one node in a second. Metadata comes once in its time, so only a window of whole ones has as much as it should.
function require_packets(size,    seconds, got, wanted) {
    seconds = get(size, "seconds")
    got = get(size, "values")
    wanted = 1 / PUBLISH
    if (seconds % METADATA < 0.5 && seconds >= METADATA) {
        got += get(size, "metadata")
        wanted += 1 / METADATA
    }
    got /= seconds * size
    wanted *= get(size, "metrics")
    if (got < wanted * (1 - NEAR) || got > wanted * (1 + NEAR))
        fail(sprintf("%d nodes: a node sent %.3f packets a second, not %.3f", size, got, wanted))
}

function value(size, name) {
    if (name == "values_per_second") return per_second(size, "values")
    if (name == "metadata_per_second") return per_second(size, "metadata")
    if (name == "packets_per_node") return packets(size) / get(size, "seconds") / size
    if (name == "kib_per_second") return per_second(size, "bytes") / 1024
    if (name == "not_sent") return get(size, "send_errors") + get(size, "sent") - get(size, "left")
    if (name == "lost") return get(size, "left") - get(size, "received")
    if (name == "missing") return size * get(size, "metrics") - get(size, "shown")
    if (name == "starting_mib") return get(size, "starting_waiting_bytes") / 1048576
    if (name == "steady_mib") return get(size, "steady_waiting_bytes") / 1048576
    if (name == "gmond_percent") return 100 * per_second(size, "gmond_cpu_seconds")
    if (name == "micros_per_packet") return 1e6 * get(size, "gmond_receiving_cpu_seconds") / packets(size)
    if (name == "answer_seconds") return answering(size) / polls(size)
    if (name == "xml_mib") return get(size, "xml_bytes") / 1048576
    if (name == "gmond_kib_per_node") return 1024 * get(size, "gmond_mib") / size
    if (name == "gmetad_percent") return 100 * per_second(size, "gmetad_cpu_seconds")
    if (name == "gmetad_micros_per_write") return 1e6 * get(size, "gmetad_polling_cpu_seconds") / writes(size)
    if (name == "gmetad_answer_seconds") return telling(size) / polls(size)
    if (name == "above_percent") return 100 * per_second(size, "above_cpu_seconds")
    if (name == "above_poll_seconds") return get(size, "above_cpu_seconds") / polls(size)
    if (name == "files_off") return not_expected(size, "rrd_files", size)
    if (name == "above_files_off") return not_expected(size, "above_rrd_files", 0)
    if (name == "stale") return get(size, "rrd_stale") + get(size, "above_rrd_stale")
    if (name == "poll_seconds") return get(size, "poll_seconds") / polls(size)
    if (name == "writes_per_second") return writes(size) / get(size, "seconds")
    return get(size, name)
}

END {
    if (failed)
        exit 2
    if (!count)
        fail("nothing was measured")
    for (i = 1; i <= count; i++)
        require_packets(sizes[i])
    for (i = 1; i <= count; i++)
        columns = columns (i > 1 ? "|" : "") sizes[i] " nodes"
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->" > markdown

    heading("Packets", columns)
    row("values, a second", "values_per_second", "%.0f")
    row("metadata, a second", "metadata_per_second", "%.0f")
    row("both, a second and node", "packets_per_node", "%.2f")
    row("KiB a second, without headers of UDP", "kib_per_second", "%.0f")
    heading("From the start on", columns)
    row("packets sent", "sent", "%d")
    none("not sent", "not_sent")
    none("lost", "lost")
    none("values that gmond does not show", "missing")
    none("values that gmond shows otherwise than sent last", "wrong")
    none("RRD files too few or too many", "files_off")
    none("the same of the gmetad above", "above_files_off")
    none("RRD files without a new value", "stale")
    row("gmond's receive buffer: used at most at the start, MiB", "starting_mib", "%.2f")
    row("the same after it, MiB", "steady_mib", "%.2f")
    heading("gmond", columns)
    row("% of a core", "gmond_percent", "%.2f")
    row("its receiving thread, us of CPU a packet", "micros_per_packet", "%.1f")
    row("its answer to a poll, s of CPU", "answer_seconds", "%.3f")
    row("its answer, MiB of XML", "xml_mib", "%.1f")
    row("its answer to nobody else, s by the clock", "xml_seconds", "%.2f")
    row("resident memory, MiB", "gmond_mib", "%.0f")
    row("resident memory, KiB a node", "gmond_kib_per_node", "%.0f")
    heading("gmetad", columns)
    row("% of a core", "gmetad_percent", "%.2f")
    row("us of CPU a value written", "gmetad_micros_per_write", "%.1f")
    row("its answer to the gmetad above, s of CPU", "gmetad_answer_seconds", "%.3f")
    row("a poll, mean, s by the clock", "poll_seconds", "%.2f")
    row("the first poll or a longer one, s by the clock", "longest_poll_seconds", "%.2f")
    row("RRD files", "rrd_files", "%d")
    row("values written, a second", "writes_per_second", "%.0f")
    row("resident memory, MiB", "gmetad_mib", "%.0f")
    heading("a gmetad above it", columns)
    row("% of a core", "above_percent", "%.2f")
    row("a poll, s of CPU", "above_poll_seconds", "%.3f")
    row("RRD files", "above_rrd_files", "%d")
    row("resident memory, MiB", "above_mib", "%.0f")
    bars("gmond", "gmond_percent")
    bars("gmetad", "gmetad_percent")
    bars("a gmetad above it", "above_percent")
    print ""
    exit bad ? 1 : 0
}
