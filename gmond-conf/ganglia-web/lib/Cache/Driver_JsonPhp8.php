<?php
# SPDX-License-Identifier: Apache-2.0
#
# For ganglia-web 3.7.5 and 3.7.6 under PHP 8, where views and aggregate graphs stay empty: the front end fills its cache of
# hosts and metrics in a function in which $SKIP_GMETAD_CONTEXTS is not known, which PHP 8 takes for an error. This cache
# driver, which is included there, names it, and is the stock one otherwise. In conf.php:
#   $conf['cachemodule'] = 'JsonPhp8';
$SKIP_GMETAD_CONTEXTS = array();
include_once __DIR__ . '/Driver_Json.php';
