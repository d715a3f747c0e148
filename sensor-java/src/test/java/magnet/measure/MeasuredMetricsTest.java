// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import magnet.agent.AgentHealth;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.job.JobNames;
import magnet.metric.MemoryMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.ProcessMetrics;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.service.FakeKernel;
import magnet.summary.EventSummary;
import magnet.summary.SavedMachine;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class MeasuredMetricsTest {
    private static final int MANY = 1_000;
    private static final long SECOND = 1_000_000_000;
    private static final List<Metric> OOM_KILLS = List.of(MemoryMetrics.OOM_KILLS);
    private static final List<Metric> EXECS = List.of(ProcessMetrics.EXECS);
    private static final List<Metric> BOTH = List.of(MemoryMetrics.OOM_KILLS, ProcessMetrics.EXECS);

    /** Answers as often as the test says. */
    private static final class SlowPoints implements PointControl {
        private final FakeKernel kernel;
        private final Semaphore answers = new Semaphore(MANY);
        private final Semaphore asked = new Semaphore(0);

        private SlowPoints(FakeKernel kernel) {
            this.kernel = kernel;
        }

        @Override
        public Subscription subscribe(String point, Selection selection) throws PointException {
            Subscription made = kernel.subscribe(point, selection);
            asked.release();
            answers.acquireUninterruptibly();
            return made;
        }

        @Override
        public List<HitCounts> unsubscribe(long id) {
            asked.release();
            answers.acquireUninterruptibly();
            return kernel.unsubscribe(id);
        }

        @Override
        public Map<Long, HitCounts> counts() {
            return kernel.counts();
        }

        private void stall() {
            asked.drainPermits();
            answers.drainPermits();
        }
    }

    private final FakeKernel kernel = new FakeKernel();
    private final AtomicLong nanos = new AtomicLong();
    private final SlowPoints control = new SlowPoints(kernel);
    private final EventSummary summary = new EventSummary(
            new SummarySetup(
                    2,
                    1,
                    TimerScale.ofKhz(1_000_000),
                    new ClockModel(1_000_000, 0, 0, 0),
                    new SavedMachine(Map.of(), Map.of()),
                    JobNames.DEFAULTS),
            nanos.get());
    private final MeasuringCore core;
    private final MeasuredMetrics measured;

    MeasuredMetricsTest() {
        kernel.open(null, summary);
        core = new MeasuringCore("test-conductor", kernel, nanos::get, AgentHealth.unheard());
        measured = new MeasuredMetrics(
                core, new Points(control, core::answered), summary, nanos::get, ReadingTotals.unsaid());
    }

    @AfterEach
    void tearDown() {
        control.answers.release(MANY);
        core.close();
    }

    @Test
    void shouldCountInNoWindowWhatCameBeforeAllPointsWereThere() throws Exception {
        kernel.execsAtOnce = 1_000;
        nanos.set(10 * SECOND);
        assertThat(measured.begin(BOTH)).isEqualTo(10 * SECOND);
        assertThat(summary.events()).as("read").isEqualTo(1_000);
        assertThat(measured.state().metrics()).isEqualTo(BOTH);
        assertThat(measured.state().points()).isEqualTo(2);
        kernel.exec(7);
        core.meanwhile(() -> true);
        nanos.set(20 * SECOND);
        endWindow();
        assertThat(snapshot().value(ProcessMetrics.EXECS)).as("in 10 s").hasValue(0.7);
    }

    @Test
    void shouldLetGoOfWhatEndsBeforeItsPointsDo() throws Exception {
        measured.begin(BOTH);
        control.stall();
        measured.change(OOM_KILLS);
        control.asked.acquire();
        assertThat(kernel.log).as("it is being asked for").doesNotContain("-sched_process_exec");
        assertThat(measured.state().metrics()).isEqualTo(OOM_KILLS);
        kernel.exec(7);
        kernel.readNow();
        endWindow();
        control.answers.release(MANY);
        MetricSnapshot between = snapshot();
        assertThat(between.value(ProcessMetrics.EXECS)).isEmpty();
        assertThat(between.value(MemoryMetrics.OOM_KILLS)).as("goes on").hasValue(0);
        await().until(core::takeChange);
        assertThat(kernel.log).contains("-sched_process_exec");
        assertThat(measured.state().points()).isEqualTo(1);
    }

    @Test
    void shouldBeginTheWindowOfWhatIsNewWhenItsPointsAreThere() throws Exception {
        measured.begin(OOM_KILLS);
        control.stall();
        kernel.execsAtOnce = 1_000;
        measured.change(BOTH);
        control.asked.acquire();
        assertThat(kernel.log).endsWith("+sched_process_exec");
        assertThat(measured.state().metrics()).as("not yet").isEqualTo(OOM_KILLS);
        assertThat(core.takeChange()).isFalse();
        measured.change(EXECS);
        assertThat(measured.state().metrics()).as("one change at a time").isEqualTo(OOM_KILLS);
        nanos.set(10 * SECOND);
        control.answers.release(MANY);
        await().until(core::takeChange);
        assertThat(measured.state().metrics()).isEqualTo(BOTH);
        assertThat(summary.events()).as("read").isEqualTo(1_000);
        kernel.exec(7);
        core.meanwhile(() -> true);
        nanos.set(30 * SECOND);
        endWindow();
        MetricSnapshot snapshot = snapshot();
        assertThat(snapshot.windowSeconds()).isEqualTo(30);
        assertThat(snapshot.value(ProcessMetrics.EXECS)).as("in 20 s").hasValue(0.35);
    }

    @Test
    void shouldReadWhatPointsLoggedUntilTheyEnded() throws Exception {
        measured.begin(EXECS);
        kernel.exec(3);
        measured.end();
        core.rest();
        assertThat(summary.events()).isEqualTo(3);
        assertThat(measured.points().finalCounters().get(EventType.SCHED_PROCESS_EXEC))
                .extracting(HitCounts::hits)
                .containsExactly(3L);
    }

    @Test
    void shouldFailWhenAPointThatIsNamedCannotBeSubscribed() {
        kernel.missing.put("nonesuch", "no such point");
        assertThatThrownBy(() -> measured.begin(EXECS, List.of("nonesuch")))
                .isInstanceOf(IOException.class)
                .hasMessage("no such point");
    }

    private void endWindow() throws IOException {
        measured.endWindow(
                InstantSource.system(), List.of(), now -> new MeasuringCore.Completion(window -> {}, snapshot -> {}));
    }

    private MetricSnapshot snapshot() {
        AtomicReference<MetricSnapshot> taken = new AtomicReference<>();
        await().until(() -> {
            core.takeSnapshot().ifPresent(taken::set);
            return taken.get() != null;
        });
        return taken.get();
    }
}
