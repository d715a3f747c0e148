// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import magnet.control.FakeModule;
import magnet.control.MagnetControl;
import org.junit.jupiter.api.Test;

/** Of the points that are hooked, udp_sendmsg and major_fault are by ftrace, major_fault and mine by kprobes. */
final class ControlPointsTest {
    private final FakeModule module = new FakeModule()
            .hooked()
            .subscribed("udp_sendmsg")
            .subscribed("sched_switch")
            .subscribed("mine")
            .subscribed("major_fault");

    private int blind(String... buffers) throws IOException {
        try (MagnetControl control = module.open()) {
            return new ControlPoints(control, "main", List.of(), Set.of())
                    .doubts(Set.of(buffers))
                    .blindPoints();
        }
    }

    @Test
    void shouldCountNoPointWhereAllSee() throws IOException {
        assertThat(blind("main")).isZero();
    }

    @Test
    void shouldCountWhatTheKernelWouldCallAtFunctions() throws IOException {
        module.ftraceDisabled();
        assertThat(blind("main")).isEqualTo(2);
        assertThat(blind("other", "main")).isEqualTo(2);
        assertThat(blind("other")).as("what others subscribed").isZero();
    }

    @Test
    void shouldCountKprobesAlsoWhereFtraceCallsThem() throws IOException {
        module.kprobesDisabled();
        assertThat(blind("main")).isEqualTo(2);
    }
}
