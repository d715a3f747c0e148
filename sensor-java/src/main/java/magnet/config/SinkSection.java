// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.List;
import java.util.Optional;

/**
 * What a sink has in {@code magnet.conf}: it declares its keys, a section of its own or some of another, and says what they
 * come to. Stateless: one instance of each is all that there is.
 *
 * @param <C> what the sink is made of, equal where the sink would be the same
 */
public interface SinkSection<C> {
    /** Its keys, in the order of the file. */
    List<ConfigKey> keys();

    /**
     * What they come to; empty if they do not switch the sink on.
     *
     * @param texts what is given
     * @throws ConfigException if anything is not allowed, also where the sink is off
     */
    Optional<C> read(ConfigTexts texts) throws ConfigException;

    /** The class of what they come to. */
    Class<C> type();

    /** What {@code --check-config} says of it, to follow "is valid". */
    String describe(C config);
}
