// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.Locale;
import java.util.Optional;

/** Says that events come from a longer time than was asked for. Stateless. */
public final class Overtime {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double LEAST_SECONDS = 0.5;
    private static final double LEAST_SHARE = 0.1;

    private Overtime() {}

    /**
     * Of a command with {@code --duration}: the first point logs before the last one is switched on, and the last one after the
     * first one is switched off.
     *
     * @param askedSeconds infinite if nothing was asked for
     * @param ranNanos from before the first point was switched on until the last one was off
     * @param points that were switched
     * @return the line; empty if it did not take much longer
     */
    public static Optional<String> of(double askedSeconds, long ranNanos, int points) {
        double ran = ranNanos / NANOS_PER_SECOND;
        double over = ran - askedSeconds;
        if (Double.isInfinite(askedSeconds) || over < Math.max(LEAST_SECONDS, LEAST_SHARE * askedSeconds)) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "events are of %.1f s, %.1f s more than asked for: it takes so long to switch %s on and off",
                ran,
                over,
                Counted.of(points, "point")));
    }
}
