// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import magnet.control.Hook;
import magnet.control.PointInfo;
import magnet.os.MonotonicClock;

/** Looks how the kernel really gets to points. It makes jumps some ticks after a point was switched on. */
final class HookWatch {
    /** Far more than the kernel takes, also an emulated one on a busy machine. */
    private static final long PATIENCE_NS = 60_000_000_000L;

    private static final long PAUSE_MS = 5;

    private final Sensor sensor;
    private final MonotonicClock clock;

    HookWatch(Sensor sensor, MonotonicClock clock) {
        this.sensor = sensor;
        this.clock = clock;
    }

    /** A point as it is now. */
    PointInfo look(PointInfo point) throws IOException {
        return find(point, sensor.points());
    }

    private static PointInfo find(PointInfo point, List<PointInfo> now) throws BenchException {
        for (PointInfo each : now) {
            if (each.name().equals(point.name())) {
                return each;
            }
        }
        throw new BenchException("somebody removed the point " + point.name());
    }

    /** Waits until a point is reached by a hook. */
    void await(PointInfo point, Hook wanted) throws IOException {
        if (awaitAny(List.of(point), wanted).isEmpty()) {
            throw changed(point, wanted, look(point).hook());
        }
    }

    /** Waits until one of some points is reached by a hook, and returns the first that is; empty if none ever is. */
    Optional<PointInfo> awaitAny(List<PointInfo> points, Hook wanted) throws IOException {
        long start = clock.nanos();
        while (true) {
            List<PointInfo> now = sensor.points();
            for (PointInfo point : points) {
                if (find(point, now).hook() == wanted) {
                    return Optional.of(point);
                }
            }
            if (clock.nanos() - start >= PATIENCE_NS) {
                return Optional.empty();
            }
            pause();
        }
    }

    /** A point as it is now, which has to be reached by a hook. */
    PointInfo check(PointInfo point, Hook wanted) throws IOException {
        PointInfo now = look(point);
        if (now.hook() != wanted) {
            throw changed(point, wanted, now.hook());
        }
        return now;
    }

    private static BenchException changed(PointInfo point, Hook wanted, Hook now) {
        String place = point.functions().isEmpty()
                ? point.name()
                : point.functions().get(0).name();
        return new BenchException("the kernel gets to " + place + " by " + now + ", where " + wanted
                + " was measured; somebody else may probe there, too");
    }

    private static void pause() throws BenchException {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted");
        }
    }
}
