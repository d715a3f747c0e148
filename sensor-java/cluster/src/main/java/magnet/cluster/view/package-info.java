// SPDX-License-Identifier: Apache-2.0
/** {@code magnet view}: recorded traces as a picture. */
@NullMarked
package magnet.cluster.view;

import org.jspecify.annotations.NullMarked;
