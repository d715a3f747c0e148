// SPDX-License-Identifier: Apache-2.0
/**
 * {@code magnet dump}: packets and their journeys, as lines or as a file.
 */
@NullMarked
package magnet.cli.dump;

import org.jspecify.annotations.NullMarked;
