// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.time.Duration;
import java.util.List;
import magnet.unit.TimeSpan;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code --interval TIME}: how often a command prints or measures. */
public final class IntervalOption extends SharedOption<TimeSpan> {
    private static final TimeSpan SHORTEST = new TimeSpan(Duration.ofMillis(100));
    private static final TimeSpan LONGEST = new TimeSpan(Duration.ofHours(1));

    public IntervalOption(String description) {
        super(TimeSpan.class, "TIME", description, List.of("-i", "--interval"));
    }

    /** Complains about one that nobody can want to see. */
    public void check(CommandLine command) {
        if (given().filter(time -> time.nanos() < SHORTEST.nanos() || time.nanos() > LONGEST.nanos())
                .isPresent()) {
            throw new ParameterException(command, "--interval TIME must be from 0.1s to 1h");
        }
    }

    /** It, or another time where the user gave none. */
    public Duration orElse(Duration usual) {
        return given().map(TimeSpan::duration).orElse(usual);
    }

    /** Nanoseconds; {@link Long#MAX_VALUE} if there is none. */
    public long nanos() {
        return given().map(TimeSpan::nanos).orElse(Long.MAX_VALUE);
    }
}
