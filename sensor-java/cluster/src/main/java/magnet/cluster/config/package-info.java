// SPDX-License-Identifier: Apache-2.0
/** What magnet.conf says of the cluster: {@code [cluster]} and {@code [recording NAME]}. */
@NullMarked
package magnet.cluster.config;

import org.jspecify.annotations.NullMarked;
