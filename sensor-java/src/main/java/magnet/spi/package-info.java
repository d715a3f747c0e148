// SPDX-License-Identifier: Apache-2.0
/**
 * What an installation adds to magnet: handlers that turn events into metrics, and filters, loaded by
 * {@link java.util.ServiceLoader}. {@code docs/handlers.md} has a worked example. Knows no other package.
 */
@NullMarked
package magnet.spi;

import org.jspecify.annotations.NullMarked;
