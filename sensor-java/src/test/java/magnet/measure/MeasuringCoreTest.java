// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.metric.HandlerMetrics;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class MeasuringCoreTest {
    /** A buffer of words. */
    private static final class Words extends FakeSource {
        private final List<String> unread = new ArrayList<>();
        private final List<String> read = new CopyOnWriteArrayList<>();
        private int waited;

        @Override
        public int doWork(int longestWaitMillis) {
            waited = longestWaitMillis;
            return super.doWork(0);
        }

        private synchronized void log(String word) {
            unread.add(word);
        }

        @Override
        protected synchronized int drain() {
            int there = unread.size();
            read.addAll(unread);
            unread.clear();
            return there;
        }
    }

    private final Words words = new Words();
    private final AtomicLong nanos = new AtomicLong(4_711);
    private final MeasuringCore core = new MeasuringCore("test-conductor", words, nanos::get, AgentHealth.unheard());
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);

    @AfterEach
    void tearDown() {
        answers.countDown();
        core.close();
    }

    @Test
    void shouldBeginWindowsWhenWhatCameBeforeHasBeenRead() throws IOException {
        String made = core.meanwhile(() -> {
            words.log("while points are subscribed");
            return "made";
        });
        assertThat(made).isEqualTo("made");
        words.log("after that");
        List<String> before = new ArrayList<>();
        long began = core.beginWindows(now -> {
            assertThat(now).isEqualTo(4_711);
            before.addAll(words.read);
        });
        assertThat(began).isEqualTo(4_711);
        assertThat(before).containsExactly("while points are subscribed", "after that");
        words.log("in the window");
        core.work(0, 0);
        assertThat(words.read).endsWith("in the window");
    }

    @Test
    void shouldReadAndEndWindowsWhileAChangeIsUnderWay() throws Exception {
        List<String> adopted = new ArrayList<>();
        core.change(
                () -> {
                    asked.countDown();
                    answers.await();
                    core.answered();
                    words.log("of the last point");
                    return "made";
                },
                (made, now) -> {
                    adopted.add(made);
                    adopted.addAll(words.read);
                });
        asked.await();
        assertThat(core.isChanging()).isTrue();
        assertThat(core.takeChange()).isFalse();
        words.log("of what goes on");
        core.work(0, 0);
        assertThat(words.read).containsExactly("of what goes on");
        List<String> order = new CopyOnWriteArrayList<>();
        core.endWindow(now -> new MeasuringCore.Ended(
                window(1),
                new MeasuringCore.Completion(window -> order.add("put in"), snapshot -> order.add("handed over"))));
        assertThat(adopted).isEmpty();
        answers.countDown();
        await().until(core::takeChange);
        assertThat(adopted).containsExactly("made", "of what goes on", "of the last point");
        assertThat(order).as("before the change ended").containsExactly("put in", "handed over");
        assertThat(core.isChanging()).isFalse();
        assertThat(core.takeSnapshot().orElseThrow().value(HandlerMetrics.OFF)).hasValue(1);
    }

    @Test
    void shouldTellOfAChangeThatFailsAndTakeAnother() {
        List<String> adopted = new ArrayList<>();
        core.change(
                () -> {
                    throw new IOException("refused");
                },
                (made, now) -> adopted.add("failed"));
        assertThatThrownBy(() -> await().until(core::takeChange))
                .isInstanceOf(IOException.class)
                .hasMessage("refused");
        core.change(() -> "good", (made, now) -> adopted.add(made));
        assertThatThrownBy(() -> core.change(() -> "too early", (made, now) -> adopted.add(made)))
                .isInstanceOf(IllegalStateException.class);
        await().until(core::takeChange);
        assertThat(adopted).containsExactly("good");
    }

    /** Until {@link #answers}. */
    private void keepTheConductorWaiting() throws Exception {
        core.change(
                () -> {
                    asked.countDown();
                    answers.await();
                    return true;
                },
                (made, now) -> {});
        asked.await();
    }

    @Test
    void shouldEndNoWindowWhenTheConductorIsBehind() throws Exception {
        keepTheConductorWaiting();
        for (int i = 1; i <= 3; i++) {
            assertThat(core.mayCloseWindow()).isTrue();
            int value = i;
            core.endWindow(now ->
                    new MeasuringCore.Ended(window(value), new MeasuringCore.Completion(window -> {}, snapshot -> {})));
            assertThat(core.takeSnapshot()).isEmpty();
        }
        assertThat(core.mayCloseWindow()).isFalse();
        assertThat(core.isClosing()).isTrue();
        core.work(0, 1_000);
        assertThat(words.waited).as("not at once: it may not end").isEqualTo(20);
        core.work(0, 7);
        assertThat(words.waited).isEqualTo(7);
        answers.countDown();
        List<Double> taken = new ArrayList<>();
        await().until(() -> {
            core.takeSnapshot()
                    .ifPresent(snapshot ->
                            taken.add(snapshot.value(HandlerMetrics.OFF).orElseThrow()));
            return taken.size() == 3;
        });
        assertThat(taken).as("what ended first comes first").containsExactly(1.0, 2.0, 3.0);
        assertThat(core.mayCloseWindow()).isTrue();
        assertThat(core.isClosing()).isFalse();
        await().until(core::takeChange);
        core.work(1_000, 3_000);
        assertThat(words.waited).isEqualTo(1_000);
        core.work(0, 3_000);
        assertThat(words.waited).isZero();
    }

    @Test
    void shouldTellOfAWindowThatCannotBeCompleted() throws IOException {
        core.endWindow(now -> new MeasuringCore.Ended(
                window(1),
                new MeasuringCore.Completion(
                        window -> {
                            throw new IllegalStateException("no /proc");
                        },
                        snapshot -> {})));
        assertThatThrownBy(() -> await().until(() -> core.takeSnapshot().isPresent()))
                .isInstanceOf(IOException.class)
                .hasMessage("no /proc");
    }

    @Test
    void shouldCompleteWindowsThatHaveEndedBeforeItRests() throws Exception {
        keepTheConductorWaiting();
        List<Double> handedOver = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int value = i;
            core.endWindow(now -> new MeasuringCore.Ended(
                    window(value),
                    new MeasuringCore.Completion(
                            window -> {},
                            snapshot -> handedOver.add(
                                    snapshot.value(HandlerMetrics.OFF).orElseThrow()))));
        }
        Thread resting = Thread.currentThread();
        CompletableFuture<Void> answering = CompletableFuture.runAsync(() -> {
            await().until(() -> resting.getState() != Thread.State.RUNNABLE);
            answers.countDown();
        });
        core.rest();
        answering.join();
        assertThat(handedOver).containsExactly(1.0, 2.0, 3.0);
        for (int i = 1; i <= 3; i++) {
            assertThat(core.takeSnapshot()).isPresent();
        }
    }

    @Test
    void shouldReadWhatIsThereBeforeAWindowEnds() throws IOException {
        words.log("in the window");
        List<String> computed = new ArrayList<>();
        core.endWindow(now -> {
            assertThat(now).isEqualTo(4_711);
            computed.addAll(words.read);
            return new MeasuringCore.Ended(window(1), new MeasuringCore.Completion(window -> {}, snapshot -> {}));
        });
        assertThat(computed).containsExactly("in the window");
    }

    @Test
    void shouldHandOnWhatWasLoggedBeforeSomebodyIsLetGo() throws IOException {
        core.letGo(() -> {
            words.log("by a point that ends");
            return true;
        });
        assertThat(words.read).containsExactly("by a point that ends");
    }

    @Test
    void shouldEndThePointsFirstAndReadTheRest() throws IOException {
        words.stop();
        core.end(() -> words.log("by the last point"));
        core.rest();
        assertThat(words.read).containsExactly("by the last point");
    }

    private static MetricSnapshot.Builder window(int value) {
        return MetricSnapshot.of(Instant.EPOCH, 1, List.of(HandlerMetrics.OFF)).put(HandlerMetrics.OFF, value);
    }
}
