// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.agent.AgentHealth;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.magnetfs.CollectorCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ReadingTest {
    private static final int ROOM = 4;

    /**
     * A ring with room for {@value #ROOM} events, which loses what comes when it is full, and points that log as many as
     * that whenever they are asked for something. They answer when the ring has room again, as points do whose hooks
     * others go on calling.
     */
    private static final class SmallRing implements RecordSource, PointControl {
        private final Map<Long, String> on = new HashMap<>();
        private int unread;
        private int read;
        private int lost;
        private boolean stopped;
        private boolean broken;
        private long away;
        private long drained;
        private int looks;

        private synchronized void fill() throws IOException {
            for (int i = 0; i < 2; i++) {
                int room = ROOM - unread;
                unread = ROOM;
                lost += ROOM - room;
                long end = System.nanoTime() + 10_000_000_000L;
                while (unread > 0 && System.nanoTime() < end && !broken) {
                    try {
                        wait(100);
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
            }
        }

        @Override
        public Subscription subscribe(String point, Selection selection) throws PointException, IOException {
            if (point.equals("not_there")) {
                throw new PointException("no such point");
            }
            fill();
            on.put((long) point.hashCode(), point);
            return new Subscription(point.hashCode(), "");
        }

        @Override
        public List<HitCounts> unsubscribe(long id) throws IOException {
            fill();
            on.remove(id);
            return List.of(new HitCounts(0, 8, 8, 0, 0, 0, 0, 0, 0, 0));
        }

        @Override
        public synchronized int readNow() throws IOException {
            if (broken) {
                throw new IOException("read failed");
            }
            looks++;
            int there = unread;
            unread = 0;
            read += there;
            notifyAll();
            return there;
        }

        @Override
        public int doWork(int longestWaitMillis) throws IOException {
            return stopped ? 0 : readNow();
        }

        @Override
        public void catchUp() throws IOException {
            readNow();
        }

        @Override
        public synchronized long ringBytes() {
            return on.isEmpty() ? ROOM : Long.MAX_VALUE;
        }

        @Override
        public int drain(long ringBytes) throws IOException {
            drained = ringBytes;
            return readNow();
        }

        @Override
        public void stop() {
            stopped = true;
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public long count(CollectorCounter counter) {
            return 0;
        }

        @Override
        public long takeLongestCycle() {
            return 0;
        }

        @Override
        public long takeLongestAway() {
            long longest = away;
            away = 0;
            return longest;
        }

        @Override
        public void close() {}
    }

    private final SmallRing ring = new SmallRing();
    private final Subscriptions subscriptions = new Subscriptions(ring);

    private Reading reading() {
        return new Reading("test-conductor", ring, AgentHealth.unheard());
    }

    private boolean subscribe() throws PointException, IOException {
        subscriptions.add("a", Selection.NONE);
        subscriptions.add("b", Selection.NONE);
        return true;
    }

    @Test
    void shouldLoseNothingOfASmallRingWhilePointsBeginAndEnd() throws IOException {
        try (Reading reading = reading()) {
            reading.change(this::subscribe);
            assertThat(ring.on).hasSize(2);
            assertThat(ring.read).isEqualTo(4 * ROOM);
            ring.stop();
            reading.end(() -> {
                subscriptions.endAll();
                return true;
            });
        }
        assertThat(ring.lost).isZero();
        assertThat(ring.read).isEqualTo(8 * ROOM);
        assertThat(ring.drained)
                .as("no more than is there when the points have ended")
                .isEqualTo(ROOM);
        assertThat(subscriptions.total().hits()).isEqualTo(16);
        assertThat(subscriptions.ended()).isEqualTo(2);
        assertThat(subscriptions.points()).isEmpty();
    }

    @Test
    void shouldLookAtTheFilesBeforeAPointLogsAndCountAbsencesFromThenOn() throws IOException {
        try (Reading reading = reading()) {
            ring.away = 9_000;
            assertThat(reading.<Integer>meanwhile(() -> {
                        synchronized (ring) {
                            return ring.looks;
                        }
                    }))
                    .isPositive();
            assertThat(reading.longestAway()).as("nothing could log yet").isZero();
            ring.away = 4_000;
            reading.meanwhile(() -> true);
            assertThat(reading.longestAway()).isEqualTo(4_000);
        }
    }

    @Test
    void shouldTellTheLongestAbsenceSinceItWasAskedAndSinceTheBeginning() throws IOException {
        try (Reading reading = reading()) {
            ring.away = 5_000;
            reading.work(0);
            assertThat(reading.longestAway()).isEqualTo(5_000);
            assertThat(reading.takeLongestAway()).isEqualTo(5_000);
            ring.away = 3_000;
            assertThat(reading.takeLongestAway()).isEqualTo(3_000);
            assertThat(reading.takeLongestAway()).isZero();
            assertThat(reading.longestAway()).isEqualTo(5_000);
            ring.away = 7_000;
            assertThat(reading.longestAway()).isEqualTo(7_000);
            assertThat(reading.takeLongestAway()).as("nobody has taken it").isEqualTo(7_000);
        }
    }

    @Test
    void shouldTellTheReaderWhenTheKernelRefuses() {
        try (Reading reading = reading()) {
            assertThatThrownBy(() -> reading.change(() -> subscriptions.add("not_there", Selection.NONE)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no such point");
        }
    }

    /** The reader may use what the conductor used as soon as it is told. */
    @Test
    void shouldFailOnlyWhenTheConductorRestsWhenReadingFails() {
        List<String> done = new ArrayList<>();
        try (Reading reading = reading()) {
            assertThatThrownBy(() -> reading.change(() -> {
                        synchronized (ring) {
                            ring.broken = true;
                        }
                        Thread.sleep(100);
                        done.add("asked");
                        return true;
                    }))
                    .hasMessage("read failed");
            assertThat(done).containsExactly("asked");
        }
    }

    @Test
    void shouldTellOfLossesSinceTheBeginningOnly() throws Exception {
        Map<Long, HitCounts> counts = new HashMap<>();
        PointControl kernel = new PointControl() {
            @Override
            public Subscription subscribe(String point, Selection selection) {
                return new Subscription(7, "");
            }

            @Override
            public List<HitCounts> unsubscribe(long id) throws IOException {
                throw new IOException("gone");
            }

            @Override
            public Map<Long, HitCounts> counts() {
                return Map.copyOf(counts);
            }
        };
        Subscriptions account = new Subscriptions(kernel);
        account.add("udp_sendmsg", Selection.NONE);
        counts.put(7L, new HitCounts(-1, 30, 20, 0, 0, 10, 0, 0, 0, 3));
        counts.put(8L, new HitCounts(-1, 99, 0, 0, 0, 99, 0, 0, 0, 0));
        assertThat(Subscriptions.lost(account.losses())).isEqualTo(13);
        account.beginLosses();
        assertThat(account.losses()).isEmpty();
        counts.put(7L, new HitCounts(-1, 40, 28, 0, 0, 12, 0, 0, 0, 4));
        assertThat(account.losses()).containsOnlyKeys("udp_sendmsg");
        assertThat(Subscriptions.lost(account.losses())).isEqualTo(3);
        assertThat(account.logged()).isEqualTo(28);
        account.endAll();
        assertThat(account.total().hits()).as("what was last known").isEqualTo(40);
        assertThat(account.untold()).isPresent();
    }
}
