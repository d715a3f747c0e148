// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ReplayWindowTest {
    private static final long SECOND = 1_000_000_000;
    private static final Id ONE = new Id(1, 0);
    private static final Id OTHER = new Id(2, 0);

    private long now = 1_000 * SECOND;
    private final ReplayWindow window = new ReplayWindow(Duration.ofSeconds(60), () -> now);

    @Test
    void shouldTakeEachCounterOfASenderOnce() throws RefusedException {
        window.accept(message(ONE, now));
        window.accept(message(ONE, now + 1));

        assertRefused(message(ONE, now + 1), Refusal.REPLAY);
        assertRefused(message(ONE, now), Refusal.REPLAY);
        window.accept(message(OTHER, now));
    }

    @Test
    void shouldTakeWhatIsNoFartherFromTheClockThanItMayBe() throws RefusedException {
        window.accept(message(ONE, now - 60 * SECOND));
        window.accept(message(ONE, now + 60 * SECOND));

        assertRefused(message(OTHER, now - 60 * SECOND - 1), Refusal.STALE);
        assertRefused(message(OTHER, now + 60 * SECOND + 1), Refusal.STALE);
        assertRefused(message(OTHER, Long.MIN_VALUE), Refusal.STALE);
        assertRefused(message(OTHER, Long.MAX_VALUE), Refusal.STALE);
    }

    @Test
    void shouldCallAnOldOneStaleAlsoIfItWasHeardBefore() throws RefusedException {
        Message message = message(ONE, now);
        window.accept(message);
        now += 61 * SECOND;

        assertRefused(message, Refusal.STALE);
    }

    @Test
    void shouldForgetSendersThatCannotBeReplayedAnyMore() throws RefusedException {
        for (int i = 0; i < 1_000; i++) {
            window.accept(message(new Id(i, 7), now));
            now += SECOND;
        }

        assertThat(window.last()).hasSizeBetween(60, 62);
    }

    @Test
    void shouldRememberWhatAnotherOneHad() throws RefusedException {
        window.accept(message(ONE, now));
        ReplayWindow next = new ReplayWindow(Duration.ofSeconds(60), () -> now);
        next.remember(window.last());

        assertThatThrownBy(() -> next.accept(message(ONE, now))).hasMessage("replay");
        next.accept(message(ONE, now + 1));
    }

    private static Message message(Id sender, long counter) {
        return new Message(Kind.QUERY, sender, counter, Id.NONE, 0, 0, "");
    }

    private void assertRefused(Message message, Refusal why) {
        assertThatThrownBy(() -> window.accept(message)).hasMessage(why.label());
    }
}
