// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.control.FakeModule;
import magnet.job.JobNames;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.os.MonotonicClock;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The made-up module loses 5 events of each subscription while it is made. */
@Timeout(60)
final class AdaptationTest {
    private static final String SENDS = "magnet_net_udp_send_packets_rate";
    private static final Condition SENDING = Condition.when(SENDS + " > 0").hold(Duration.ofHours(1));
    private static final Condition SILENT = Condition.when(SENDS + " < 1");
    private static final AdaptationPlan PLAN = new AdaptationPlan(List.of(SENDING, SILENT), Duration.ofMillis(100));

    /** Notes what it is told, and perhaps does something itself. */
    private static final class Notes implements AdaptationListener {
        private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();
        private final BlockingQueue<Interval> intervals = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

        @Nullable
        private volatile Runnable onInterval;

        @Override
        public void onChange(Condition condition, boolean holds, Interval interval) {
            changes.add(condition + " " + holds);
        }

        @Override
        public void onInterval(Interval interval) {
            intervals.add(interval);
            Runnable action = onInterval;
            if (action != null) {
                action.run();
            }
        }

        @Override
        public void onEnd(String why) {
            ends.add(why);
        }
    }

    private final FakeModule module = new FakeModule();
    private final Notes notes = new Notes();

    @TempDir
    private Path folder;

    private Fifo fifo;

    @BeforeEach
    void makeFifo() throws IOException {
        fifo = Fifo.create(folder.resolve("cpu0"));
    }

    @AfterEach
    void closeFifo() throws IOException {
        fifo.close();
    }

    private Adaptation open(AdaptationPlan plan) throws IOException {
        Node node = new Node(
                module::open,
                buffer -> new BufferDirectory(folder),
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null),
                folder,
                folder,
                JobNames.DEFAULTS,
                MonotonicClock.SYSTEM,
                InstantSource.system());
        return Adaptation.open(node, plan, notes);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @Test
    void shouldTellAndAnswerWhatHolds() throws Exception {
        Adaptation adaptation = open(PLAN);
        try (adaptation) {
            Interval first = next(notes.intervals);
            assertThat(first.values()).containsExactly(Map.entry(SENDS, 0.0));
            assertThat(next(notes.changes)).isEqualTo(SENDS + " < 1 true");
            assertThat(adaptation.holds(SILENT)).isTrue();
            assertThat(adaptation.holds(SENDING)).isFalse();

            fifo.write(new RecordWriter()
                    .record(EventType.UDP_SENDMSG, 0, 70, 77, 5, 5_000, 1_400, 2, 17)
                    .bytes());

            assertThat(next(notes.changes)).isEqualTo(SENDS + " > 0 true");
            Awaitility.await().until(() -> adaptation.holds(SENDING));
            assertThat(adaptation.value(SENDS)).isPresent();
            assertThat(adaptation.value("magnet_net_drops_rate")).isEmpty();
            assertThat(adaptation.latest()).isPresent();
            assertThat(adaptation.isRunning()).isTrue();
            assertThat(module.subscriptions()).containsExactly("udp_sendmsg");
        }
        assertThat(adaptation.isRunning()).isFalse();
        assertThat(adaptation.holds(SENDING)).isFalse();
        assertThat(adaptation.latest()).isEmpty();
        assertThat(notes.ends).as("it was asked to").isEmpty();
    }

    @Test
    void shouldCountALossInTheIntervalThatHadItAndNoneFromBeforeItBegan() throws Exception {
        try (Adaptation adaptation = open(PLAN)) {
            Interval first = next(notes.intervals);
            assertThat(first.lost()).as("lost while points were subscribed").isZero();
            assertThat(first.isLossy()).isFalse();
            module.lost(12);
            long lost = 0;
            while (lost == 0) {
                lost = next(notes.intervals).lost();
            }
            assertThat(lost).isEqualTo(7);
            assertThat(next(notes.intervals).isLossy()).isFalse();
            assertThat(adaptation.isRunning()).isTrue();
        }
    }

    /** What a lossy interval would have made true is not said. */
    @Test
    void shouldTellOfNoChangeInALossyInterval() throws Exception {
        AdaptationPlan plan = new AdaptationPlan(List.of(SILENT), Duration.ofMillis(100));
        module.lost(0);
        AtomicLong lost = new AtomicLong();
        notes.onInterval = () -> module.lost(lost.addAndGet(3));
        try (Adaptation adaptation = open(plan)) {
            assertThat(next(notes.intervals).isLossy()).isFalse();
            assertThat(next(notes.changes)).isEqualTo(SENDS + " < 1 true");
            for (int i = 0; i < 3; i++) {
                assertThat(next(notes.intervals).lost()).isEqualTo(3);
            }
            assertThat(adaptation.holds(SILENT)).isTrue();
            assertThat(notes.changes).isEmpty();
        }
    }

    /** Events that were logged while points were subscribed. */
    @Test
    void shouldMeasureNothingOfWhatHappenedBeforeItBegan() throws Exception {
        RecordWriter before = new RecordWriter();
        for (int i = 0; i < 1_000; i++) {
            before.record(EventType.UDP_SENDMSG, 0, 70, 77, 5, 5_000, 1_400, 2, 17);
        }
        fifo.write(before.bytes());
        try (Adaptation adaptation = open(PLAN)) {
            for (int i = 0; i < 3; i++) {
                assertThat(next(notes.intervals).values()).containsExactly(Map.entry(SENDS, 0.0));
            }
            assertThat(adaptation.holds(SENDING)).isFalse();
        }
    }

    @Test
    void shouldEndWhenItsListenerClosesIt() throws Exception {
        Adaptation adaptation = open(PLAN);
        notes.onInterval = adaptation::close;
        Awaitility.await().until(() -> !adaptation.isRunning());
        adaptation.close();
        assertThat(notes.ends).isEmpty();
    }

    @Test
    void shouldEndAndSaySoWhenItsListenerFails() throws Exception {
        notes.onInterval = () -> {
            throw new IllegalStateException("oops");
        };
        try (Adaptation adaptation = open(PLAN)) {
            assertThat(next(notes.ends)).contains("the listener", "oops");
            assertThat(adaptation.isRunning()).isFalse();
            assertThat(adaptation.value(SENDS)).isEmpty();
        }
    }

    @Test
    void shouldEndAndSaySoWhenItsListenerFailsAsNoProgramShould() throws Exception {
        notes.onInterval = () -> {
            throw new AssertionError("never");
        };
        try (Adaptation adaptation = open(PLAN)) {
            assertThat(next(notes.ends)).contains("the listener", "never");
            assertThat(adaptation.isRunning()).isFalse();
            assertThat(adaptation.holds(SILENT)).isFalse();
        }
    }

    @Test
    void shouldSayWhenTheBufferIsRemoved() throws Exception {
        fifo.close();
        Files.delete(folder.resolve("cpu0"));
        Files.createFile(folder.resolve("cpu0"));
        try (Adaptation adaptation = open(PLAN)) {
            assertThat(next(notes.ends)).contains("the module was unloaded");
            assertThat(adaptation.isRunning()).isFalse();
        }
    }

    @Test
    void shouldRefuseWhatThisKernelCannotMeasure() {
        AdaptationPlan plan =
                new AdaptationPlan(List.of(Condition.when("magnet_net_drops_rate > 1")), Duration.ofSeconds(1));
        assertThatThrownBy(() -> open(plan))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("magnet_net_drops_rate cannot be measured")
                .hasMessageContaining("kfree_skb");
    }
}
