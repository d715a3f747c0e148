// SPDX-License-Identifier: Apache-2.0
/** "make demo": the whole way of an event on a real kernel, in a minute. */
@NullMarked
package magnet.it.demo;

import org.jspecify.annotations.NullMarked;
