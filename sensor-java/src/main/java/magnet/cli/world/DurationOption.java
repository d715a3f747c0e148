// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import magnet.unit.TimeSpan;

/** {@code --duration TIME}: after which time a command ends. */
public final class DurationOption extends SharedOption<TimeSpan> {
    /** What it does, in most commands. */
    public static final String USUAL = "End after this time: 10 (seconds), 0.5, 90s, 5m, 1h.";

    public DurationOption(String description) {
        super(TimeSpan.class, "TIME", description, List.of("-d", "--duration"));
    }

    /** Seconds; infinite if it does not matter. */
    public double seconds() {
        return given().map(TimeSpan::seconds).orElse(Double.POSITIVE_INFINITY);
    }

    /** Nanoseconds; {@link Long#MAX_VALUE} if it does not matter. */
    public long nanos() {
        return given().map(TimeSpan::nanos).orElse(Long.MAX_VALUE);
    }

    /** For people; empty if it does not matter. */
    public String text() {
        return given().map(TimeSpan::toString).orElse("");
    }
}
