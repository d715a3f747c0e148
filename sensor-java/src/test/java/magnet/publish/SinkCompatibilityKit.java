// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import magnet.agent.AgentHealth;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every sink has to do, whatever it speaks. A sink's own test extends this class: it makes the sink and a peer,
 * which understands the sink's protocol by code of its own.
 *
 * <p>The clock that the sink is given goes on by an interval with each publication, and only then.
 */
@Timeout(120)
public abstract class SinkCompatibilityKit {
    /** Time between two publications, in seconds. */
    protected static final int INTERVAL_SECONDS = 5;

    /** The time after which a peer that was started anew has to know everything again, in seconds. */
    protected static final int KNOWN_AGAIN_SECONDS = 70;

    /** Texts are not of one snapshot's number. */
    private static final List<Metric> ALL = Metrics.DEFAULT.stream()
            .filter(metric -> metric.type() != ValueType.STRING)
            .toList();

    private final AtomicLong nowNanos = new AtomicLong(TimeUnit.HOURS.toNanos(-1));
    private Peer peer;
    private Sink sink;

    /**
     * Something that a peer was told of a metric: what it is, or its value.
     *
     * @param metric its name
     * @param unit its unit; null with a value
     * @param value its value; NaN with a description
     */
    public record Told(String metric, String unit, double value) {
        public static Told description(String metric, String unit) {
            return new Told(metric, unit, Double.NaN);
        }

        public static Told value(String metric, double value) {
            return new Told(metric, null, value);
        }

        boolean isDescription() {
            return unit != null;
        }
    }

    /** The other end: what a sink speaks to. Starts with the constructor. */
    public interface Peer extends AutoCloseable {
        /**
         * Whether it asks for what it is told. Then it is told the newest values only, and nobody but itself knows that it
         * was away.
         */
        default boolean fetches() {
            return false;
        }

        /** Everything that it was told since the last call, in that order, until nothing more comes. */
        List<Told> take() throws IOException;

        /** Goes on running, but takes nothing in. */
        void stall();

        /** Takes in again, first what has come meanwhile. */
        void proceed();

        /** Goes away. */
        @Override
        void close() throws IOException;

        /** Comes back at the same address, after it went away, and knows nothing of what it was told before. */
        void startAgain() throws IOException;
    }

    /** Starts a peer. */
    protected abstract Peer startPeer() throws IOException;

    /**
     * Makes the sink under test.
     *
     * @param to the only peer that it speaks to
     * @param nanoClock the time, where time counts
     */
    protected abstract Sink newSink(Peer to, LongSupplier nanoClock) throws IOException;

    @BeforeEach
    final void startBoth() throws IOException {
        peer = startPeer();
        sink = newSink(peer, nowNanos::get);
    }

    @AfterEach
    final void closeBoth() throws IOException {
        sink.close();
        peer.close();
    }

    @Test
    final void shouldTellNameAndUnitOfEveryMetricBeforeItsFirstValue() throws IOException {
        publish(2.5);
        Map<String, String> units = new HashMap<>();
        List<String> values = new ArrayList<>();
        for (Told told : peer.take()) {
            if (told.isDescription()) {
                units.put(told.metric(), told.unit());
            } else {
                assertThat(units).as("known when its value comes").containsKey(told.metric());
                values.add(told.metric());
            }
        }
        assertThat(values).as("in the catalogue's order").isEqualTo(names(ALL));
        for (Metric metric : ALL) {
            assertThat(units.get(metric.name())).as(metric.name()).isEqualTo(metric.unit());
        }
    }

    @Test
    final void shouldTellEveryValueInOrderWhenThePeerKeepsUp() throws IOException {
        Map<String, List<Double>> values = new HashMap<>();
        for (int number = 1; number <= 30; number++) {
            publish(number);
            for (Told told : peer.take()) {
                if (!told.isDescription()) {
                    values.computeIfAbsent(told.metric(), name -> new ArrayList<>())
                            .add(told.value());
                }
            }
        }
        List<Double> numbers = new ArrayList<>();
        for (int number = 1; number <= 30; number++) {
            numbers.add((double) number);
        }
        assertThat(values)
                .hasSameSizeAs(ALL)
                .allSatisfy((name, each) -> assertThat(each).as(name).isEqualTo(numbers));
        assertThat(sink.errors()).isZero();
    }

    @Test
    final void shouldTellNumbersAsPreciselyAsTheMetricHasDecimals() throws IOException {
        for (double number : new double[] {0, 1e-9, 0.123456789, 1.0 / 3, 999_999.999999, 123_456_789_012.0}) {
            publish(number);
            List<Told> values =
                    peer.take().stream().filter(told -> !told.isDescription()).toList();
            assertThat(values).hasSameSizeAs(ALL);
            for (int i = 0; i < ALL.size(); i++) {
                double tolerance = 0.500001 * Math.pow(10, -ALL.get(i).decimals()) + Math.ulp(number);
                assertThat(values.get(i).value()).isBetween(number - tolerance, number + tolerance);
            }
        }
    }

    @Test
    final void shouldTellAMetricBeforeItsFirstValueWhenItAppearsLater() throws IOException {
        List<Metric> few = ALL.subList(0, ALL.size() / 2);
        for (int number = 1; number <= 5; number++) {
            publish(few, number);
        }
        peer.take();
        publish(ALL, 6);
        Set<String> described = new HashSet<>(names(few));
        for (Told told : peer.take()) {
            if (told.isDescription()) {
                described.add(told.metric());
            }
            assertThat(described).contains(told.metric());
        }
        assertThat(described).hasSameSizeAs(ALL);
        publish(few, 7);
        assertThat(peer.take().stream().filter(told -> !told.isDescription()).map(Told::metric))
                .as("what is no longer published is not told any more")
                .isEqualTo(names(few));
    }

    @Test
    final void shouldLoseNothingWhenThePeerStallsForAMoment() throws IOException {
        publish(1);
        peer.take();
        peer.stall();
        publish(2);
        publish(3);
        peer.proceed();
        Map<String, List<Double>> values = new HashMap<>();
        for (Told told : peer.take()) {
            if (!told.isDescription()) {
                values.computeIfAbsent(told.metric(), name -> new ArrayList<>()).add(told.value());
            }
        }
        assertThat(values)
                .hasSameSizeAs(ALL)
                .allSatisfy((name, each) ->
                        assertThat(each).as(name).isEqualTo(peer.fetches() ? List.of(3.0) : List.of(2.0, 3.0)));
    }

    /** The runner's count holds, nobody is held up, and the newest values get through afterwards. */
    @Test
    final void shouldAccountForEverySnapshotWhenThePeerStallsForLong() throws IOException {
        SinkRunner runner = new SinkRunner(sink, () -> {}, AgentHealth.unheard());
        try (runner) {
            runner.start();
            runner.offer(snapshot(ALL, 1));
            await().until(() -> runner.published() + runner.failed() == 1);
            peer.stall();
            long before = System.nanoTime();
            for (int number = 2; number <= 100; number++) {
                runner.offer(snapshot(ALL, number));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(30));
            peer.proceed();
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                peer.take();
                return runner.published() + runner.dropped() + runner.failed() == 100;
            });
            nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS));
            runner.offer(snapshot(ALL, 101));
            Set<String> newest = new HashSet<>();
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                peer.take().stream().filter(told -> told.value() == 101).forEach(told -> newest.add(told.metric()));
                return newest.size() == ALL.size();
            });
        }
        assertThat(runner.published() + runner.dropped() + runner.failed()).isEqualTo(101);
    }

    @Test
    final void shouldTellEverythingAgainWhenThePeerWasStartedAnew() throws IOException {
        for (int number = 1; number <= 10; number++) {
            publish(number);
        }
        peer.close();
        peer.startAgain();
        assertKnownAgain();
    }

    @Test
    final void shouldCountAndTellEverythingAgainWhenThePeerWasAwayForLong() throws IOException {
        publish(1);
        peer.take();
        peer.close();
        for (int number = 2; number <= 50; number++) {
            publish(number);
        }
        if (!peer.fetches()) {
            assertThat(sink.errors()).isPositive();
        }
        peer.startAgain();
        assertKnownAgain();
        publish(51);
        long errors = sink.errors();
        for (int number = 52; number <= 60; number++) {
            publish(number);
            assertThat(peer.take()).isNotEmpty();
        }
        assertThat(sink.errors()).as("once it is back").isEqualTo(errors);
    }

    @Test
    final void shouldBeQuietWhenItIsClosed() throws IOException {
        publish(1);
        sink.close();
        peer.take();
        assertThatCode(() -> sink.close()).doesNotThrowAnyException();
        assertThat(peer.take()).isEmpty();
    }

    @Test
    final void shouldHaveANameForThreadsAndLogLines() {
        assertThat(sink.name()).matches("[a-z][a-z-]*");
    }

    private void assertKnownAgain() throws IOException {
        Set<String> described = new HashSet<>();
        Set<String> known = new HashSet<>();
        for (int seconds = 0; seconds < KNOWN_AGAIN_SECONDS; seconds += INTERVAL_SECONDS) {
            publish(1);
            for (Told told : peer.take()) {
                if (told.isDescription()) {
                    described.add(told.metric());
                } else if (described.contains(told.metric())) {
                    known.add(told.metric());
                }
            }
        }
        assertThat(known).as("described, and then its value told").containsAll(names(ALL));
    }

    /** One publication; that none of it could be sent is for the sink to say. */
    private void publish(double value) throws IOException {
        publish(ALL, value);
    }

    private void publish(List<Metric> metrics, double value) throws IOException {
        try {
            sink.publish(snapshot(metrics, value));
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS));
    }

    private static List<String> names(List<Metric> metrics) {
        return metrics.stream().map(Metric::name).toList();
    }

    private static MetricSnapshot snapshot(List<Metric> metrics, double value) {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, metrics);
        metrics.forEach(metric -> builder.put(metric, value));
        return builder.build();
    }
}
