// SPDX-License-Identifier: Apache-2.0
/** magnetd: wires the layers together and sees to its own life cycle. */
@NullMarked
package magnet.service;

import org.jspecify.annotations.NullMarked;
