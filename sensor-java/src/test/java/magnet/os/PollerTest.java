// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@SuppressWarnings("try") // closes within the block, too
final class PollerTest {
    private final Poller poller = new Poller();

    @TempDir
    private Path folder;

    @Test
    void shouldSayWhichFileIsReady() throws IOException {
        try (Fifo first = Fifo.create(folder.resolve("first"));
                Fifo second = Fifo.create(folder.resolve("second"));
                DataFile firstFile = DataFile.open(first.path());
                DataFile secondFile = DataFile.open(second.path())) {
            int firstIndex = poller.add(firstFile);
            int secondIndex = poller.add(secondFile);
            assertThat(poller.poll(0)).isZero();
            assertThat(poller.isReady(firstIndex)).isFalse();

            second.write(new byte[] {1});
            assertThat(poller.poll(-1)).isEqualTo(1);
            assertThat(poller.isReady(firstIndex)).isFalse();
            assertThat(poller.isReady(secondIndex)).isTrue();

            first.close();
            poller.remove(secondIndex);
            assertThat(poller.poll(-1)).isEqualTo(1);
            assertThat(poller.isReady(firstIndex)).as("the end of a file").isTrue();
            assertThat(poller.isReady(secondIndex)).as("removed").isFalse();
        }
    }

    @Test
    void shouldWakeWhenAnotherThreadRaisesAFlag() throws Exception {
        try (EventFd flag = EventFd.create()) {
            int index = poller.add(flag);
            CountDownLatch started = new CountDownLatch(1);
            Thread raiser = new Thread(() -> {
                started.countDown();
                flag.raise();
            });
            raiser.start();
            started.await();
            assertThat(poller.poll(-1)).isEqualTo(1);
            assertThat(poller.isReady(index)).isTrue();
            assertThat(flag.lower()).isTrue();
            assertThat(flag.lower()).isFalse();
            assertThat(poller.poll(0)).isZero();
            raiser.join();
        }
    }

    @Test
    void shouldGrowAndClear() throws IOException {
        List<EventFd> flags = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            flags.add(EventFd.create());
            assertThat(poller.add(flags.get(i))).isEqualTo(i);
        }
        flags.get(0).raise();
        flags.get(99).raise();
        assertThat(poller.poll(0)).isEqualTo(2);
        assertThat(poller.isReady(0)).isTrue();
        assertThat(poller.isReady(99)).isTrue();

        poller.clear();
        assertThat(poller.poll(0)).isZero();
        assertThatThrownBy(() -> poller.isReady(0)).isInstanceOf(IndexOutOfBoundsException.class);
        flags.forEach(EventFd::close);
    }

    @Test
    void shouldIgnoreAFlagAfterClose() throws IOException {
        EventFd flag = EventFd.create();
        flag.close();
        flag.close();
        flag.raise();
        assertThat(flag.lower()).isFalse();
    }
}
