// SPDX-License-Identifier: Apache-2.0
/**
 * The operating system's calls that Java has no other way to: files with lseek and poll, eventfd, netlink, kernel
 * modules. The only package that sees JNA. Errors come as {@link magnet.os.OsException} with errno's name and text.
 */
@NullMarked
package magnet.os;

import org.jspecify.annotations.NullMarked;
