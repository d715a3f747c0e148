// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldDoubleUpToTheLastWhenFailuresGoOn(long seed) {
        Backoff backoff = new Backoff(100, 1_000, new Random(seed));
        for (int round = 0; round < 2; round++) {
            for (long base : new long[] {100, 200, 400, 800, 1_000, 1_000}) {
                assertThat(backoff.failed()).as("seed %s", seed).isBetween(base - base / 4, base + base / 4);
            }
            backoff.succeeded();
        }
    }
}
