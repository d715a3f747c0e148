// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HandoverTest {
    @Test
    void shouldTakeNoMoreThanThereIsRoomFor() {
        Handover<String> handover = new Handover<>(2);
        assertThat(handover.poll()).isNull();
        for (int round = 0; round < 3; round++) {
            assertThat(handover.offer("one")).isTrue();
            assertThat(handover.offer("two")).isTrue();
            assertThat(handover.offer("three")).isFalse();
            assertThat(handover.poll()).isEqualTo("one");
            assertThat(handover.poll()).isEqualTo("two");
            assertThat(handover.poll()).isNull();
        }
    }

    /** What the giver wrote before is seen by the taker, and all of it comes in order. */
    @Test
    void shouldHandOverInOrderFromOneThreadToAnother() throws InterruptedException {
        int count = 200_000;
        Handover<long[]> handover = new Handover<>(7);
        AtomicLong wrong = new AtomicLong();
        Thread taker = new Thread(() -> {
            for (long expected = 0; expected < count; ) {
                long[] item = handover.poll();
                if (item == null) {
                    Thread.onSpinWait();
                    continue;
                }
                wrong.addAndGet(item[0] == expected ? 0 : 1);
                expected++;
            }
        });
        taker.start();
        for (long i = 0; i < count; ) {
            if (handover.offer(new long[] {i})) {
                i++;
            } else {
                Thread.onSpinWait();
            }
        }
        taker.join();
        assertThat(wrong).hasValue(0);
    }
}
