<?php
# SPDX-License-Identifier: Apache-2.0
#
# What the reports of magnet have in common. A report is a JSON file, as any of Ganglia's; the PHP file of the same name,
# which goes first, passes it through here for what JSON cannot say:
# - a logarithmic axis for times, so that a median of 50 us and a maximum of 20 ms both show. The front end's own
#   "graph_scale" calls rrdtool with --logarithm, which rrdtool no longer takes for --logarithmic;
# - a legend of one line for each series;
# - a line that says why a series is missing;
# - on the page of a cluster, a line for each node where a sum over nodes would mean nothing: of the series that have
#   "each_node".
# Without the PHP files the JSON files draw the same on a linear axis.

# Times below this, in seconds, are at the bottom of a logarithmic graph.
define('MAGNET_LEAST_TIME', '0.000001');

# More nodes than this have lines, but no legend.
define('MAGNET_NODES_IN_LEGEND', 16);

function magnet_graph(&$rrdtool_graph, $file) {
    global $conf, $context, $size;

    $report = magnet_report($file);
    $missing = array_filter($report['series'], function ($series) { return !magnet_is_there($series); });
    $there = count($report['series']) - count($missing);
    $rrdtool_graph = rrdtool_graph_merge_args_from_json($rrdtool_graph, $report, $context, $size, $conf['rrds'],
        $conf['graphreport_stats'], $report['stats']);

    $rrdtool_graph['extras'] = '--font LEGEND:7';
    if ($report['axis'] == 'logarithmic') {
        $rrdtool_graph['lower-limit'] = MAGNET_LEAST_TIME;
        $rrdtool_graph['extras'] .= ' --logarithmic --units=si --rigid';
    }
    if ($there > MAGNET_NODES_IN_LEGEND)
        $rrdtool_graph['extras'] .= ' --no-legend';
    if ($there == 0)
        $rrdtool_graph['series'] = "HRULE:1#FFCC33:'" . magnet_why_missing('All lines', $missing) . "'";
    else if (count($missing) > 0)
        $rrdtool_graph['series'] .= " COMMENT:'" . magnet_why_missing('More lines', $missing) . "\\l'";
}

# The report, of the host or cluster that the page is about.
function magnet_report($file) {
    global $context, $raw_host, $user, $grid;

    $report = json_decode(file_get_contents($file), TRUE) + array('scale' => NULL, 'percent' => NULL, 'axis' => 'linear',
        'stats' => array('now', 'avg', 'max'));
    foreach (array_keys($report['series']) as $id) {
        $report['series'][$id]['hostname'] = $raw_host;
        $report['series'][$id]['clustername'] = isset($grid) ? $grid : $user['clustername'];
    }
    $each = array_filter($report['series'], function ($series) { return isset($series['each_node']); });
    if ($context == 'cluster' && count($each) > 0) {
        $report['series'] = magnet_each_node($each);
        # Where the average was there is a node's name.
        $report['stats'] = array('now', 'max');
    }
    return $report;
}

# These series of each node that has them.
function magnet_each_node($each) {
    global $conf;

    $nodes = array();
    foreach ($each as $series) {
        foreach (glob($conf['rrds'] . '/' . $series['clustername'] . '/*/' . $series['metric'] . '.rrd') as $rrd) {
            $host = basename(dirname($rrd));
            if ($host != '__SummaryInfo__')
                $nodes[] = array('hostname' => $host, 'label' => $host . ', ' . $series['label'],
                    'color' => $conf['graph_colors'][count($nodes) % count($conf['graph_colors'])], 'type' => 'line',
                    'line_width' => '2', 'contexts' => array('cluster')) + $series;
        }
    }
    return $nodes;
}

# Where the files of the series' host are.
function magnet_folder($series) {
    global $conf;

    return $conf['rrds'] . '/' . $series['clustername'] . '/' . $series['hostname'];
}

function magnet_is_there($series) {
    global $context;

    return (!isset($series['contexts']) || in_array($context, $series['contexts'])) &&
        is_file(magnet_folder($series) . '/' . $series['metric'] . '.rrd');
}

# Whether the series' host has a metric of magnet's at all.
function magnet_publishes($series) {
    return count(glob(magnet_folder($series) . '/magnet_*.rrd')) > 0;
}

# Without characters that the shell or rrdtool take for theirs.
function magnet_why_missing($what, $missing) {
    global $context;

    if ($context != 'host')
        return 'Shown for each host, as sums mean nothing here';
    if (!magnet_publishes(reset($missing)))
        return 'magnet does not publish from this host';
    $full = array_filter($missing, function ($series) { return isset($series['level']) && $series['level'] == 'full'; });
    return count($full) > 0 ? $what . ' at level full in magnet.conf'
        : $what . ' switched off in magnet.conf, or not on this kernel';
}
