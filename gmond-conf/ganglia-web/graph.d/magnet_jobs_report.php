<?php
# SPDX-License-Identifier: Apache-2.0
include_once __DIR__ . '/magnet.php';

function graph_magnet_jobs_report(&$rrdtool_graph) {
    magnet_graph($rrdtool_graph, __DIR__ . '/magnet_jobs_report.json');
}
