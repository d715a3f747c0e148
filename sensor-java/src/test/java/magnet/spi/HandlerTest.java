// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HandlerTest {
    /** One that was written before there was another way to say so. */
    private static final class Joining implements Handler {
        private final List<String> told = new ArrayList<>();

        @Override
        public String name() {
            return "joining";
        }

        @Override
        public List<Point> points() {
            return List.of();
        }

        @Override
        public void begin(HandlerSetup setup) {}

        @Override
        public void onEvent(Event event) {}

        @Override
        public void onLoss(int cpu, long events) {
            told.add(cpu + ": " + events);
        }
    }

    @Test
    void shouldTellOfAJumpOfTheTimerAsOfALossOfNothing() {
        Joining handler = new Joining();
        handler.onNewEpoch(3);
        assertThat(handler.told).containsExactly("0: 0", "1: 0", "2: 0");
    }
}
