// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.os.MonotonicClock;

/**
 * Lets a program adapt to what happens on its node, by kernel events and not by guesses: it measures the metrics that some
 * conditions name, interval after interval, and tells when a condition begins to hold and when it ends.
 *
 * <pre>{@code
 * Condition drops = Condition.when("magnet_net_drops_queue_rate > 100").until("magnet_net_drops_queue_rate < 10");
 * AdaptationPlan plan = new AdaptationPlan(List.of(drops), Duration.ofSeconds(1));
 * try (Adaptation adaptation = Adaptation.open(plan, (condition, holds, interval) -> sender.slowDown(holds))) {
 *     sender.run();
 * }
 * }</pre>
 *
 * <p>It needs the kernel module, CAP_PERFMON, and the group of /dev/magnet, but not the service. It has a buffer of its
 * own, and subscribes in it the points that the metrics need and no others; both end with it, also when the program dies.
 *
 * <p><b>Loss</b> is never silent: {@link Interval#lost()} says how many events an interval lacks, and {@link Condition}
 * what that means.
 *
 * <p><b>Threads.</b> It has a daemon thread of its own, {@code magnet-adapt}, which reads and calls the listener. All
 * methods are for any thread, and none of them waits but {@link #close()}.
 */
public final class Adaptation implements AutoCloseable {
    private final Measurement measurement;
    private final AdaptationListener listener;
    private final MonotonicClock clock;
    private final List<ConditionWatch> watches;
    private final AgentRunner runner;
    private volatile Set<Condition> holding = Set.of();
    private volatile Optional<Interval> latest = Optional.empty();
    private volatile boolean closing;
    private volatile boolean running = true;

    private Adaptation(Node node, AdaptationPlan plan, AdaptationListener listener) throws IOException {
        this.listener = listener;
        this.clock = node.clock();
        this.watches = plan.conditions().stream().map(ConditionWatch::new).toList();
        this.measurement = Measurement.begin(node, plan);
        this.runner = new AgentRunner(new Measuring(), AgentHealth.unheard());
    }

    /**
     * Begins to measure. At first no condition holds.
     *
     * @param listener is told what is found
     * @throws IOException if there is no module, a right is missing, or this kernel cannot measure one of the metrics; the
     *     message says which and what to do
     */
    public static Adaptation open(AdaptationPlan plan, AdaptationListener listener) throws IOException {
        return open(Node.running(), plan, listener);
    }

    /** The same where somebody else says how the node is reached. */
    public static Adaptation open(Node node, AdaptationPlan plan, AdaptationListener listener) throws IOException {
        Adaptation adaptation = new Adaptation(node, plan, listener);
        adaptation.runner.start();
        return adaptation;
    }

    /** Whether a condition holds now; not before the first interval has ended, nor after the adaptation has. */
    public boolean holds(Condition condition) {
        return holding.contains(condition);
    }

    /**
     * The value of a metric in the latest interval; empty before there is one, after the end, if no condition names it, and if
     * it is about a job that may be one of those that are not told apart.
     */
    public OptionalDouble value(String metric) {
        return latest().map(interval -> interval.value(metric)).orElse(OptionalDouble.empty());
    }

    /** The latest interval, with all values and its losses; empty before there is one, and after the end. */
    public Optional<Interval> latest() {
        return latest;
    }

    /** Whether it goes on: neither closed nor ended by itself. */
    public boolean isRunning() {
        return running;
    }

    /**
     * Ends it and waits until its last call of the listener has returned, unless it is that call. What it had switched on is
     * off afterwards. Closing it again does nothing.
     */
    @Override
    public void close() {
        closing = true;
        runner.end();
        runner.awaitEnd();
    }

    /** What the thread does. A failure ends it, also what a listener's assertion throws: the program learns of it. */
    private final class Measuring implements Agent {
        private String why = "the module was unloaded, or somebody else removed the buffer";

        @Override
        public String roleName() {
            return "magnet-adapt";
        }

        @Override
        public OnFailure onFailure() {
            return OnFailure.END;
        }

        @Override
        public int doWork() {
            if (measurement.hasEnded()) {
                return OVER;
            }
            try {
                measurement.work().ifPresent(Adaptation.this::take);
                return 1;
            } catch (IOException e) {
                why = "reading events failed: " + e.getMessage();
            } catch (Throwable e) {
                why = "it failed, or the listener did: " + e;
            }
            return OVER;
        }

        @Override
        public void wakeUp() {
            measurement.stop();
        }

        @Override
        public void onClose() throws IOException {
            try {
                measurement.close();
            } finally {
                running = false;
                holding = Set.of();
                latest = Optional.empty();
                if (!closing) {
                    listener.onEnd(why);
                }
            }
        }
    }

    private void take(Interval interval) {
        long now = clock.nanos();
        List<ConditionWatch> changed = new ArrayList<>();
        Set<Condition> holdingNow = new HashSet<>();
        for (ConditionWatch watch : watches) {
            OptionalDouble value = interval.value(watch.condition().metric());
            if (value.isEmpty()) {
                watch.lookAway(now);
            } else if (watch.look(value.getAsDouble(), interval.isLossy(), now)) {
                changed.add(watch);
            }
            if (watch.holds()) {
                holdingNow.add(watch.condition());
            }
        }
        latest = Optional.of(interval);
        holding = holdingNow;
        for (ConditionWatch watch : changed) {
            listener.onChange(watch.condition(), watch.holds(), interval);
        }
        listener.onInterval(interval);
    }
}
