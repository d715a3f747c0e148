// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SinkRunnerTest {
    private final List<Long> seen = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final AgentHealth health = AgentHealth.unheard();

    /** What a sink does with a snapshot. */
    private interface Action {
        void on(MetricSnapshot snapshot) throws IOException, InterruptedException;
    }

    @Test
    void shouldPublishInOrderWhenTheSinkKeepsUp() {
        try (SinkRunner runner = runner(snapshot -> {})) {
            runner.start();
            for (long i = 1; i <= 20; i++) {
                runner.offer(snapshot(i));
                await().until(() -> seen.size(), size -> size > 0);
                long expected = i;
                await().until(() -> runner.published() == expected);
            }
            assertThat(seen).hasSize(20).isSorted();
            assertThat(runner.dropped()).isZero();
            assertThat(told).hasValue(20);
        }
        assertThat(closed).hasValue(1);
    }

    @Test
    void shouldNotWaitAndDropTheOldestWhenTheSinkHangs() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (SinkRunner runner = runner(snapshot -> {
            entered.countDown();
            release.await();
        })) {
            runner.start();
            runner.offer(snapshot(0));
            entered.await();
            long before = System.nanoTime();
            for (long i = 1; i <= 100; i++) {
                runner.offer(snapshot(i));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
            assertThat(runner.dropped()).isEqualTo(96);
            release.countDown();
            await().until(() -> runner.published() == 5);
            assertThat(seen).containsExactly(0L, 97L, 98L, 99L, 100L);
        }
    }

    @Test
    void shouldBeHeardByTheWatchdogWhenTheSinkHangs() throws InterruptedException {
        AtomicLong nanos = new AtomicLong();
        AgentHealth watched = new AgentHealth(nanos::get);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (SinkRunner runner = runner(
                snapshot -> {
                    entered.countDown();
                    release.await();
                },
                watched)) {
            runner.start();
            nanos.addAndGet(SinkRunner.LONGEST_PUBLICATION.toNanos() + 1);
            await().untilAsserted(() -> assertThat(watched.complaint())
                    .as("it has only nothing to do")
                    .isEmpty());
            runner.offer(snapshot(0));
            entered.await();
            nanos.addAndGet(SinkRunner.LONGEST_PUBLICATION.toNanos());
            assertThat(watched.complaint()).isEmpty();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(watched.complaint()).contains("magnet-test has stood still for 121 s");
            release.countDown();
            await().until(() -> watched.complaint().isEmpty());
        }
    }

    @Test
    void shouldCountAndGoOnWhenTheSinkFails() {
        AtomicInteger calls = new AtomicInteger();
        try (SinkRunner runner = runner(snapshot -> {
            if (calls.incrementAndGet() == 1) {
                throw new IOException("first time");
            }
            if (calls.get() == 2) {
                throw new IllegalStateException();
            }
        })) {
            runner.start();
            for (long i = 1; i <= 3; i++) {
                runner.offer(snapshot(i));
            }
            await().until(() -> runner.published() == 1);
            assertThat(runner.failed()).isEqualTo(2);
            assertThat(told).hasValue(1);
        }
    }

    @Test
    void shouldCountAndSayNothingWhenTheEndBreaksASnapshotOff() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        SinkRunner runner = runner(snapshot -> {
            entered.countDown();
            Thread.sleep(Long.MAX_VALUE);
        });
        try (LogLines log = new LogLines(SinkRunner.class)) {
            runner.start();
            runner.offer(snapshot(0));
            entered.await();
            runner.close();
            await().until(() -> closed.get() == 1);
            assertThat(runner.failed()).isEqualTo(1);
            assertThat(log.lines()).isEmpty();
        }
    }

    /** A class may be missing while a package is replaced. */
    @Test
    void shouldCountSayOnceAndGoOnWhenTheSinkThrowsAnError() {
        AtomicInteger calls = new AtomicInteger();
        try (LogLines log = new LogLines(SinkRunner.class);
                SinkRunner runner = runner(snapshot -> {
                    if (calls.incrementAndGet() <= 2) {
                        throw new NoClassDefFoundError("magnet/publish/Removed");
                    }
                })) {
            runner.start();
            for (long i = 1; i <= 3; i++) {
                runner.offer(snapshot(i));
            }
            await().until(() -> runner.published() == 1);
            assertThat(runner.failed()).isEqualTo(2);
            assertThat(log.lines())
                    .containsExactly("WARN test: java.lang.NoClassDefFoundError: magnet/publish/Removed"
                            + " (said once, counted from now on)");
        }
        assertThat(closed).hasValue(1);
    }

    @Test
    void shouldGoOnWhenWhatFollowsASnapshotFails() {
        AtomicInteger calls = new AtomicInteger();
        try (SinkRunner runner = runner(snapshot -> {}, () -> {
            if (calls.incrementAndGet() == 1) {
                throw new AssertionError("once");
            }
        })) {
            runner.start();
            runner.offer(snapshot(1));
            await().until(() -> runner.failed() == 1);
            runner.offer(snapshot(2));
            await().until(() -> calls.get() == 2);
            assertThat(runner.published()).isEqualTo(2);
        }
    }

    @Test
    void shouldEndSoonWhenClosedWhileWaitingAfterAFailure() {
        SinkRunner runner = runner(snapshot -> {
            throw new IOException("always");
        });
        runner.start();
        runner.offer(snapshot(1));
        await().until(() -> runner.failed() == 1);
        runner.close();
        assertThat(closed).hasValue(1);
        runner.offer(snapshot(2));
        assertThat(runner.dropped()).isEqualTo(1);
    }

    private SinkRunner runner(Action action) {
        return runner(action, told::incrementAndGet);
    }

    private SinkRunner runner(Action action, AgentHealth watched) {
        return runner(action, told::incrementAndGet, watched);
    }

    private SinkRunner runner(Action action, Runnable onPublished) {
        return runner(action, onPublished, health);
    }

    private SinkRunner runner(Action action, Runnable onPublished, AgentHealth watched) {
        Sink sink = new Sink() {
            @Override
            public String destinations() {
                return "nowhere";
            }

            @Override
            public long errors() {
                return 0;
            }

            @Override
            public String name() {
                return "test";
            }

            @Override
            public void publish(MetricSnapshot snapshot) throws IOException {
                try {
                    action.on(snapshot);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                seen.add((long) snapshot.windowSeconds());
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        return new SinkRunner(sink, onPublished, watched);
    }

    private static MetricSnapshot snapshot(long number) {
        return MetricSnapshot.of(Instant.EPOCH, (double) number, Metrics.DEFAULT)
                .build();
    }
}
