<?php
# SPDX-License-Identifier: Apache-2.0
#
# The front end's settings in the demo: a graph of five minutes first, and the metrics' own graphs when asked for.
$conf['ganglia_port'] = (int) getenv('GMETAD_PORT');
$conf['time_ranges'] = array('5min' => 300, '10min' => 600, 'hour' => 3600, '2hr' => 7200);
$conf['default_time_range'] = '5min';
$conf['metric_groups_initially_collapsed'] = true;
$conf['overlay_events'] = false;
# Which metrics there are is looked up for a view's graphs; they come and go while somebody tries levels.
$conf['cachetime'] = 15;
$conf['cachemodule'] = 'JsonPhp8';
# A group's metrics in the order of their statistics.
include_once '/usr/share/ganglia-webfrontend/graph.d/magnet_order.php';
