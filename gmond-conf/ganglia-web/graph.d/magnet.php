<?php
# SPDX-License-Identifier: Apache-2.0
#
# What the reports of magnet have in common. A report is a JSON file, as any of Ganglia's; the PHP file of the same name,
# which goes first, passes it through here for what JSON cannot say:
# - pictures of one height at each size, so that a page of them has no holes: what a legend needs, the graph gives;
# - titles that fit: without the host's domain, without the time range, or without the host;
# - a logarithmic axis for times ("axis": "logarithmic"), so that a median of 50 us and a maximum of 20 ms both show. The
#   front end's own "graph_scale" calls rrdtool with --logarithm, which rrdtool no longer takes for --logarithmic;
# - lines that show when they lie on each other: "line_width" up to 5, the widest first, and "dashes";
# - a legend of one line for each series, whose blanks are not part of the names in CSV and JSON;
# - a line that says why a series is missing;
# - on the page of a cluster, a line for each node where a sum over nodes would mean nothing: of the series that have
#   "each_node".
# Without the PHP files the JSON files draw the same on a linear axis, with other lines.

# Times below this, in seconds, are at the bottom of a logarithmic graph.
define('MAGNET_LEAST_TIME', '0.000001');

# What a picture has beside and around the graph, in pixels: as wide as the front end's own; as high as its memory report,
# its highest, where there is a legend.
define('MAGNET_BESIDE', 97);
define('MAGNET_AROUND', 52);
define('MAGNET_LEGEND', 109);
define('MAGNET_MORE_AT_MEDIUM', 32);

# Pixels of a line of the legend: its mark, a letter, what is between its parts; and how many lines nodes may have.
define('MAGNET_MARK', 26);
define('MAGNET_LETTER', 6);
define('MAGNET_BETWEEN', 14);
define('MAGNET_LINES', 8);

# Pixels that a title cannot have, since rrdtool writes its own name at the right; and those of a letter, by the font's size.
define('MAGNET_NOT_FOR_TITLE', 26);
define('MAGNET_TITLE_LETTERS', array(9 => 8, 8 => 7, 7 => 6));

function magnet_graph(&$rrdtool_graph, $file) {
    global $size;

    $report = magnet_report($file);
    $there = array_filter($report['series'], 'magnet_is_there');
    $missing = array_diff_key($report['series'], $there);
    $width = $rrdtool_graph['width'] + MAGNET_BESIDE;
    if ($report['nodes'] && magnet_label_pixels($there) > $width)
        $there = magnet_without_domains($there);

    $rrdtool_graph['title'] = $report['title'];
    $rrdtool_graph['vertical-label'] = $report['vertical_label'];
    $rrdtool_graph['lower-limit'] = $report['axis'] == 'logarithmic' ? MAGNET_LEAST_TIME : '0';
    $rrdtool_graph['width'] = $width;
    $rrdtool_graph['height'] += MAGNET_AROUND + ($size == 'small' ? 0 : MAGNET_LEGEND) +
        ($size == 'medium' ? MAGNET_MORE_AT_MEDIUM : 0);
    $rrdtool_graph['extras'] = '--full-size-mode --dynamic-labels --font LEGEND:7 --font UNIT:7' .
        magnet_axis($report) . magnet_title($report['title'], $width);

    $stats = magnet_statistics($there, $report, $width);
    if ($stats === NULL)
        $rrdtool_graph['extras'] .= ' --no-legend';
    $rrdtool_graph['series'] = magnet_series($there, $report, $stats);
    if (count($there) == 0)
        $rrdtool_graph['series'] = "HRULE:1#FFCC33:'" . magnet_why_missing('All lines', $missing) . "'";
    else if (count($missing) > 0)
        $rrdtool_graph['series'] .= "COMMENT:'" . magnet_why_missing('More lines', $missing) . "\\l' ";
}

# The report, of the host or cluster that the page is about.
function magnet_report($file) {
    global $context, $raw_host, $user, $grid;

    $report = json_decode(file_get_contents($file), TRUE) + array('axis' => 'linear', 'nodes' => FALSE);
    foreach (array_keys($report['series']) as $id) {
        $report['series'][$id]['hostname'] = $raw_host;
        $report['series'][$id]['clustername'] = isset($grid) ? $grid : $user['clustername'];
    }
    $each = array_filter($report['series'], function ($series) { return isset($series['each_node']); });
    if ($context == 'cluster' && count($each) > 0) {
        $report['series'] = magnet_each_node($each);
        $report['nodes'] = TRUE;
    }
    return $report;
}

# These series of each node that has them. A name of another kind would not pass the shell and rrdtool as it is.
function magnet_each_node($each) {
    global $conf;

    $nodes = array();
    foreach ($each as $series) {
        $files = glob($conf['rrds'] . '/' . $series['clustername'] . '/*/' . $series['metric'] . '.rrd');
        natsort($files);
        foreach ($files as $rrd) {
            $host = basename(dirname($rrd));
            if ($host != '__SummaryInfo__' && preg_match('/^[\w.-]+$/', $host))
                $nodes[] = array('hostname' => $host, 'label' => "$host {$series['label']}",
                    'color' => $conf['graph_colors'][count($nodes) % count($conf['graph_colors'])], 'type' => 'line',
                    'line_width' => '2', 'dashes' => NULL, 'contexts' => array('cluster')) + $series;
        }
    }
    return $nodes;
}

function magnet_without_domains($nodes) {
    foreach ($nodes as $number => $series) {
        $host = $series['hostname'];
        $nodes[$number]['label'] = strip_domainname($host) . substr($series['label'], strlen($host));
    }
    return $nodes;
}

# Options for the axis.
function magnet_axis($report) {
    switch ($report['axis']) {
    case 'logarithmic': return ' --logarithmic --units=si --rigid';
    case 'percent': return ' --units-exponent 0';
    default: return '';
    }
}

# Options for the title, which take the place of the one that the front end puts together: of the longest that fits. Its
# second line is empty: without one the title lies on the axis' highest number. A host's name that does not pass the shell
# as it is stays with the front end.
function magnet_title($report, $width) {
    global $conf, $title, $range;

    $texts = array($report);
    if ($conf['decorated_graph_title']) {
        if (!preg_match('/^[\w .-]+$/', "$title $range"))
            return '';
        $short = strip_domainname($title);
        $texts = array("$title $report last $range", "$short $report last $range", "$short $report", "$report last $range",
            $report);
    }
    foreach ($texts as $text)
        foreach (MAGNET_TITLE_LETTERS as $points => $letter)
            if (strlen($text) * $letter <= $width - MAGNET_NOT_FOR_TITLE)
                return " --font TITLE:$points --title '$text\n '";
    return '';
}

# What the legend says of each series: of now, avg and max as many as fit, since a line that is too long becomes two.
# NULL if there are more nodes than there is room for in a legend, or too long a name.
function magnet_statistics($there, $report, $width) {
    global $conf;

    $label = magnet_label_pixels($there);
    if ($label > $width)
        return NULL;
    if ($report['nodes'] && count($there) > MAGNET_LINES) {
        $columns = floor(($width - MAGNET_BETWEEN) / $label);
        return count($there) <= $columns * MAGNET_LINES ? array() : NULL;
    }
    $statistic = MAGNET_BETWEEN + MAGNET_LETTER * strlen($report['axis'] == 'logarithmic' ? 'Now:100.0 us' : 'Now:100.0k');
    # Where the average was there is a node's name.
    $stats = $report['nodes'] ? array('now', 'max') : array('now', 'max', 'avg');
    $stats = array_slice($stats, 0, max(0, (int)floor(($width - 5 - $label + MAGNET_BETWEEN) / $statistic)));
    return $conf['graphreport_stats'] ? array_values(array_intersect(array('now', 'avg', 'max'), $stats)) : array();
}

# Letters of the longest label.
function magnet_label_width($there) {
    return count($there) > 0 ? max(array_map(function ($series) { return strlen($series['label']); }, $there)) : 0;
}

# Pixels of a line of the legend with nothing but a label.
function magnet_label_pixels($there) {
    return MAGNET_MARK + magnet_label_width($there) * MAGNET_LETTER + MAGNET_BETWEEN;
}

# What rrdtool draws.
function magnet_series($there, $report, $stats) {
    $data = $drawn = '';
    $stacked = FALSE;
    foreach ($there as $number => $series) {
        $id = "a$number";
        $data .= " DEF:'$id'='" . magnet_folder($series) . "/{$series['metric']}.rrd':'sum':AVERAGE";
        if (isset($report['scale'])) {
            $data .= " CDEF:'s$id'=$id,{$report['scale']},*";
            $id = "s$id";
        }
        $drawn .= magnet_element($series, $id, $stacked);
        $stacked |= $series['type'] == 'stack';
        if ($stats)
            $drawn .= magnet_legend($id, $stats, $report, magnet_label_width($there) - strlen($series['label']));
    }
    return "$data $drawn";
}

# A series as the front end's own are written, since it looks for them in this text when it makes CSV and JSON.
function magnet_element($series, $id, $stacked) {
    switch ($series['type']) {
    case 'stack': $what = $stacked ? 'STACK' : 'AREA'; break;
    case 'area': $what = 'AREA'; break;
    default: $what = 'LINE' . $series['line_width'];
    }
    return "$what:'$id'#{$series['color']}:'{$series['label']}'" .
        (isset($series['dashes']) ? ":dashes={$series['dashes']}" : '') . ' ';
}

# The statistics of a series, behind as many blanks as its label is shorter than the longest one.
function magnet_legend($id, $stats, $report, $blanks) {
    $functions = array('now' => 'LAST', 'avg' => 'AVERAGE', 'max' => 'MAXIMUM');
    $formats = array('logarithmic' => '%5.1lf %ss', 'percent' => '%6.2lf', 'linear' => '%5.1lf%s');
    $text = '';
    foreach ($stats as $number => $stat)
        $text .= "VDEF:{$id}_$stat=$id,$functions[$stat] GPRINT:'{$id}_$stat':'" .
            ($number == 0 ? str_repeat(' ', $blanks) : '') . ucfirst($stat) . '\:' . $formats[$report['axis']] .
            ($number == count($stats) - 1 ? '\l' : '') . "' ";
    return $text;
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
    $jobs = array_filter($missing, function ($series) { return isset($series['group']) && $series['group'] == 'jobs'; });
    if (count($jobs) > 0)
        return $what . ' with jobs = on in magnet.conf';
    $full = array_filter($missing, function ($series) { return isset($series['level']) && $series['level'] == 'full'; });
    return count($full) > 0 ? $what . ' at level full in magnet.conf'
        : $what . ' are off, or not on this kernel';
}
