// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.Collectors;
import magnet.record.Counter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class CounterSetTest {
    @Test
    void shouldNameAllThatThereAre() {
        assertThat(CounterSet.WANTED)
                .endsWith(" of "
                        + Arrays.stream(Counter.values()).map(Counter::label).collect(Collectors.joining(", ")));
    }

    @Test
    void shouldTakeNames() {
        assertThat(CounterSet.parse("cpu_clock, Context-Switches,cpu_clock").counters())
                .containsExactlyInAnyOrder(Counter.CPU_CLOCK, Counter.CONTEXT_SWITCHES);
        assertThat(CounterSet.parse("none").counters()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "cycles,",
                "cycle",
                "none,cycles",
                "cycles instructions",
                "cycles,instructions,branches,cpu_clock,context_switches"
            })
    void shouldRefuseWhatIsNone(String text) {
        assertThatThrownBy(() -> CounterSet.parse(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("context_switches");
    }
}
