// SPDX-License-Identifier: Apache-2.0
/**
 * Handlers that an installation has besides the built-in ones: those that the configuration declares and those that are
 * loaded from jars, by the interfaces of {@link magnet.spi}. docs/handlers.md.
 */
@NullMarked
package magnet.handler;

import org.jspecify.annotations.NullMarked;
