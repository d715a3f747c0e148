// SPDX-License-Identifier: Apache-2.0
/** Input for benchmarks that run on the host itself. */
@NullMarked
package magnet.it.bench;

import org.jspecify.annotations.NullMarked;
