// SPDX-License-Identifier: Apache-2.0
/**
 * Events one by one: {@code magnet read} and {@code watch} as they come, {@code report} and {@code export} from saved
 * traces.
 */
@NullMarked
package magnet.cli.trace;

import org.jspecify.annotations.NullMarked;
