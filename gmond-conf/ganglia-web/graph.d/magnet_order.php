<?php
# SPDX-License-Identifier: Apache-2.0
#
# For the front end's conf.php to include: on the page of a host the metrics of each group in an order that tells a story.
# The front end sorts by name, which has a time's buckets first, then its maximum, and then its median. Here rates come first,
# then times, each with its median, percentiles, maximum and buckets, then all else, each by name.

# What the front end calls to sort a group, where there is such a function.
function sort_metric_group_metrics($group, $metrics) {
    usort($metrics, function ($one, $other) { return strnatcmp(magnet_place($one), magnet_place($other)); });
    return $metrics;
}

# A text by which metrics of magnet's are in order, and others by their names.
function magnet_place($name) {
    $statistics = array('p50' => 1, 'p95' => 2, 'p99' => 3, 'max' => 4);
    if (strncmp($name, 'magnet_', 7) != 0)
        return $name;
    if (substr($name, -5) == '_rate')
        return "magnet_1 $name";
    if (preg_match('/^(.*)_bucket(\d)_/', $name, $parts))
        return "magnet_2 $parts[1] 5 $parts[2]";
    if (preg_match('/^(.*)_(p50|p95|p99|max)$/', $name, $parts))
        return "magnet_2 $parts[1] {$statistics[$parts[2]]}";
    return "magnet_3 $name";
}
