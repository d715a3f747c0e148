// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class InterruptionTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final Interruption interruption = new Interruption();

    @Test
    void shouldCallWhatIsToBeDone() {
        interruption.onInterrupt(calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        assertThat(interruption.interrupt()).isTrue();
        assertThat(calls).hasValue(1);
    }

    @Test
    void shouldCallAtOnceWhenTheWishCameBefore() {
        assertThat(interruption.interrupt()).isFalse();
        interruption.onInterrupt(calls::incrementAndGet);
        assertThat(calls).hasValue(1);
    }
}
