// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.function.Supplier;
import magnet.metric.Level;
import magnet.spi.Filter;
import magnet.spi.Handler;
import org.jspecify.annotations.Nullable;

/**
 * A handler that could run. Immutable.
 *
 * @param key equal for candidates that would do the same
 * @param name its name
 * @param origin where it comes from, with {@code ": "} at its end
 * @param level lowest level that has it
 * @param handler makes the handler
 * @param filter makes the filter that it names; null if it names none
 */
public record HandlerCandidate(
        Object key,
        String name,
        String origin,
        Level level,
        Supplier<? extends Handler> handler,
        @Nullable Supplier<? extends Filter> filter) {}
