// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class InterruptionTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> complaints = new ArrayList<>();
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

    @Test
    void shouldWaitWhileThereIsProgress() throws InterruptedException {
        int looks = 20;
        Interruption waiting = new Interruption(Duration.ofMillis(1));
        waiting.onInterrupt(new Interruption.Ending(
                () -> {},
                () -> {
                    if (calls.incrementAndGet() == looks) {
                        waiting.finished(3);
                    }
                    return calls.get();
                },
                () -> "all"));
        assertThat(waiting.end(complaints::add)).hasValue(3);
        assertThat(calls).hasValue(looks);
        assertThat(complaints).isEmpty();
    }

    @Test
    void shouldSayWhatIsLeftWhenThereIsNone() throws InterruptedException {
        Interruption waiting = new Interruption(Duration.ofSeconds(1));
        waiting.onInterrupt(new Interruption.Ending(calls::incrementAndGet, () -> 7, () -> "5 bytes are left"));
        assertThat(waiting.end(complaints::add)).hasValue(1);
        assertThat(calls).hasValue(1);
        assertThat(complaints).containsExactly("given up after 1 s without progress: 5 bytes are left");
    }

    @Test
    void shouldSaySoWhenNobodyTellsWhatIsLeft() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        Interruption waiting = new Interruption(Duration.ofMillis(1));
        waiting.onInterrupt(new Interruption.Ending(() -> {}, () -> 7, () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "nothing";
        }));
        assertThat(waiting.end(complaints::add)).hasValue(1);
        never.countDown();
        assertThat(complaints).singleElement().asString().contains("the module does not answer");
    }

    @Test
    void shouldNotWaitForWhatHasEndedOrHasNothingToEnd() throws InterruptedException {
        assertThat(interruption.end(complaints::add)).isEmpty();
        interruption.onInterrupt(calls::incrementAndGet);
        interruption.finished(0);
        assertThat(interruption.end(complaints::add)).isEmpty();
    }
}
