// SPDX-License-Identifier: Apache-2.0
/** {@code magnet.conf}, read once into one immutable, validated record. */
@NullMarked
package magnet.config;

import org.jspecify.annotations.NullMarked;
