// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HangupTest {

    @Test
    void shouldRunTheActionEachTimeWhenTheSignalComes() throws IOException, InterruptedException {
        AtomicInteger times = new AtomicInteger();
        assertThat(Hangup.onHangup(times::incrementAndGet)).isTrue();
        for (int sent = 1; sent <= 3; sent++) {
            int expected = sent;
            String pid = String.valueOf(ProcessHandle.current().pid());
            assertThat(new ProcessBuilder("kill", "-HUP", pid).start().waitFor())
                    .isZero();
            await().until(() -> times.get() == expected);
        }
    }
}
