// SPDX-License-Identifier: Apache-2.0
/**
 * A saved trace as a Perfetto trace: who ran on which CPU, what took how long, packets' journeys as flows, and counters.
 * {@code docs/export.md} says what becomes of which event. Knows traces and records, and nothing else of magnet.
 */
@NullMarked
package magnet.perfetto;

import org.jspecify.annotations.NullMarked;
