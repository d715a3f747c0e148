// SPDX-License-Identifier: Apache-2.0
/**
 * Layout and decoding of the records that the kernel module writes, as {@code sensor-kmod/include/uapi/magnet.h}
 * defines them. Pure: bytes in, fields out, no I/O and no allocation per record. Knows no other package.
 */
@NullMarked
package magnet.record;

import org.jspecify.annotations.NullMarked;
