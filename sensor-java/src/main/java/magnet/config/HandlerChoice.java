// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The handlers that an installation has besides the built-in ones. Immutable.
 *
 * @param directory where their jars are; none if empty
 * @param sections those that the configuration declares, in its order
 */
public record HandlerChoice(Optional<Path> directory, List<HandlerConfig> sections) {
    /** No handlers. */
    public static final HandlerChoice NONE = new HandlerChoice(Optional.empty(), List.of());

    public HandlerChoice {
        sections = List.copyOf(sections);
    }
}
