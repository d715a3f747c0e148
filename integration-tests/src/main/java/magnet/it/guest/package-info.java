// SPDX-License-Identifier: Apache-2.0

/**
 * Guests for tests: a QEMU virtual machine with a real kernel, this machine's files and gmond.
 * {@link magnet.it.guest.GuestTest} boots one for a test class; {@link magnet.it.guest.Guest} is how a test
 * talks to it.
 */
@NullMarked
package magnet.it.guest;

import org.jspecify.annotations.NullMarked;
