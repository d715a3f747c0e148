// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log that events are lost, and when that is over: the first interval with losses at once, then at most one
 * line in {@value #QUIET_SECONDS} s, which says how many intervals with losses were not told of one by one. It is over
 * when nothing was lost for as long. For one thread.
 */
public final class LossLog {
    static final int QUIET_SECONDS = 60;

    private static final Logger LOGGER = LoggerFactory.getLogger(LossLog.class);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(QUIET_SECONDS);

    private final String whose;
    private final String metric;
    private Map<Integer, Long> before = Map.of();
    private Map<Integer, Long> told = Map.of();
    private boolean on;
    private long toldNanos;
    private long lastNanos;
    private long beganNanos;
    private Map<Integer, Long> atBegin = Map.of();
    private int heldBack;
    private int intervals;

    /** Of the events that the metrics of the catalogue are made of. */
    public LossLog() {
        this("", "magnet_sensor_lossy_intervals");
    }

    /**
     * Of others.
     *
     * @param whose which events, to stand behind "lost"; empty if that needs no saying
     * @param metric the metric that says until when values are too low
     */
    public LossLog(String whose, String metric) {
        this.whose = whose.isEmpty() ? "" : " " + whose;
        this.metric = metric;
    }

    /**
     * An interval has ended.
     *
     * @param lostByCpu events lost since start
     * @param nowNanos monotonic time
     */
    public void interval(Map<Integer, Long> lostByCpu, long nowNanos) {
        boolean lost = !lostByCpu.equals(before);
        if (lost) {
            lost(lostByCpu, nowNanos);
        } else if (on && nowNanos - lastNanos >= QUIET_NANOS) {
            over(nowNanos);
        }
        before = Map.copyOf(lostByCpu);
    }

    private void lost(Map<Integer, Long> lostByCpu, long nowNanos) {
        lastNanos = nowNanos;
        intervals++;
        if (!on) {
            on = true;
            atBegin = before;
            beganNanos = nowNanos;
            intervals = 1;
            tell(nowNanos, lostByCpu);
            LOGGER.warn(
                    "events lost{}: {}; until {} is 0 other values are too low. A larger"
                            + " buffer-size helps, or a lower level of metrics",
                    whose,
                    since(before, lostByCpu),
                    metric);
        } else if (nowNanos - toldNanos >= QUIET_NANOS) {
            LOGGER.warn(
                    "events lost{}: {} more, in {} intervals since the last line",
                    whose,
                    since(told, lostByCpu),
                    heldBack + 1);
            tell(nowNanos, lostByCpu);
        } else {
            heldBack++;
        }
    }

    private void tell(long nowNanos, Map<Integer, Long> lostByCpu) {
        toldNanos = nowNanos;
        told = Map.copyOf(lostByCpu);
        heldBack = 0;
    }

    private void over(long nowNanos) {
        on = false;
        LOGGER.info(
                "no events lost{} for {} s; before that {}, in {} intervals within {} s",
                whose,
                TimeUnit.NANOSECONDS.toSeconds(nowNanos - lastNanos),
                since(atBegin, before),
                intervals,
                TimeUnit.NANOSECONDS.toSeconds(lastNanos - beganNanos));
    }

    /** {@code 12 (CPU 0: 10, CPU 3: 2)}. */
    private static String since(Map<Integer, Long> earlier, Map<Integer, Long> now) {
        long sum = 0;
        StringJoiner cpus = new StringJoiner(", ", " (", ")");
        for (Map.Entry<Integer, Long> cpu : new TreeMap<>(now).entrySet()) {
            long lost = cpu.getValue() - earlier.getOrDefault(cpu.getKey(), 0L);
            sum += lost;
            if (lost > 0) {
                cpus.add("CPU " + cpu.getKey() + ": " + lost);
            }
        }
        return sum + cpus.toString();
    }
}
