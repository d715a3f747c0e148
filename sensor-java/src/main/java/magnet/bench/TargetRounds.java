// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import magnet.control.Hook;
import magnet.control.PointInfo;
import magnet.os.MonotonicClock;

/**
 * Measures one point in rounds: the same calls with the point on and with it off, right after each other and in turns
 * first. Not thread-safe.
 */
final class TargetRounds {
    private final Target target;
    private final Plan plan;
    private final Sensor sensor;
    private final HookWatch watch;
    private final Caller caller;
    private final MonotonicClock clock;
    private final List<Double> bare = new ArrayList<>();
    private final List<Double> differences = new ArrayList<>();
    private PointInfo seen;
    private long events;

    TargetRounds(Target target, Plan plan, Sensor sensor, Caller caller, MonotonicClock clock) {
        this.target = target;
        this.plan = plan;
        this.sensor = sensor;
        this.watch = new HookWatch(sensor, clock);
        this.caller = caller;
        this.clock = clock;
        this.seen = target.point();
    }

    /**
     * One round.
     *
     * @param onFirst whether the point is on first, or off
     * @param counts whether the times count, or only the events
     */
    void run(boolean onFirst, boolean counts) throws IOException {
        if (target.neighbour().isEmpty()) {
            pair(onFirst, counts);
            return;
        }
        PointInfo neighbour = target.neighbour().get();
        long subscription = sensor.switchOn(neighbour, false);
        watch.await(neighbour, Hook.JUMP);
        pair(onFirst, counts);
        watch.check(neighbour, Hook.JUMP);
        sensor.switchOff(subscription);
    }

    private void pair(boolean onFirst, boolean counts) throws IOException {
        double first = onFirst ? on() : call();
        double second = onFirst ? call() : on();
        if (counts) {
            bare.add(onFirst ? second : first);
            differences.add(onFirst ? first - second : second - first);
        }
    }

    private double on() throws IOException {
        long subscription = sensor.switchOn(target.point(), true);
        watch.await(target.point(), target.hook());
        double nanos = call();
        seen = watch.check(target.point(), target.hook());
        sensor.switchOff(subscription);
        long made = sensor.takeEvents(target.point());
        if (made != plan.eventsOfRound()) {
            throw new BenchException("of the %d calls of %s() that this process made, %d were logged at %s"
                    .formatted(plan.eventsOfRound(), target.call(), made, target.place()));
        }
        events += made;
        return nanos;
    }

    /** Nanoseconds of a call. */
    private double call() {
        caller.repeat(target.call(), plan.warmUpCalls());
        long start = clock.nanos();
        caller.repeat(target.call(), plan.calls());
        return (clock.nanos() - start) / (double) plan.calls();
    }

    Target target() {
        return target;
    }

    /** Of a call with the point off; not while a neighbour is on. */
    List<Double> bare() {
        return target.neighbour().isPresent() ? List.of() : bare;
    }

    /** What was measured. */
    Report.Measured measured() {
        return new Report.Measured(target.place(), seen, Spread.of(differences), events);
    }
}
