// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sinks beside Ganglia that are switched on, with what each is made of. Immutable.
 *
 * @param bySection what each section came to
 */
public record SinkChoice(Map<SinkSection<?>, Object> bySection) {
    /** There are none. */
    public static final SinkChoice NONE = new SinkChoice(Map.of());

    public SinkChoice {
        bySection = Map.copyOf(bySection);
    }

    static SinkChoice read(List<? extends SinkSection<?>> sinks, ConfigTexts texts) throws ConfigException {
        Map<SinkSection<?>, Object> bySection = new HashMap<>();
        for (SinkSection<?> sink : sinks) {
            sink.read(texts).ifPresent(config -> bySection.put(sink, config));
        }
        return new SinkChoice(bySection);
    }

    /** What a section came to; empty if the sink is off. */
    public <C> Optional<C> of(SinkSection<C> section) {
        return Optional.ofNullable(bySection.get(section)).map(section.type()::cast);
    }
}
