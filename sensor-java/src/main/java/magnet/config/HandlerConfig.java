// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A section {@code [handler NAME]} as it was written: its keys are known, its values not yet looked at. Immutable.
 *
 * @param name what stands behind {@code handler} in the section's head
 * @param place of the section's head, with {@code ": "} at its end
 * @param values what is given
 */
public record HandlerConfig(String name, String place, Map<HandlerKey, Given> values) {
    private static final Pattern FETCH = Pattern.compile("[+-]\\w+\\(|:(string|char\\[)");

    public HandlerConfig {
        values = Map.copyOf(values);
    }

    /** What a key says; empty if it is not given, or given without a value. */
    public Optional<String> text(HandlerKey key) {
        return Optional.ofNullable(values.get(key)).map(Given::text).filter(text -> !text.isEmpty());
    }

    /** Whether a point of it is one that it defines, and not one that the module has. */
    public boolean hasDefinition() {
        return points().anyMatch(point -> point.indexOf(':') >= 0);
    }

    /** Whether a point of it reads memory by its definition: {@code +8($arg1)}, {@code $arg1:string}, {@code :char[16]}. */
    public boolean fetchesMemory() {
        return points().anyMatch(point -> FETCH.matcher(point).find());
    }

    private Stream<String> points() {
        return Stream.of(HandlerKey.POINT, HandlerKey.UNTIL).flatMap(key -> text(key).stream());
    }

    /** Where a key stands, or the section where it does not, with {@code ": "} at its end. */
    public String place(HandlerKey key) {
        Given given = values.get(key);
        return given == null ? place : given.place();
    }
}
