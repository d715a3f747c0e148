// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.unit.TimeSpan;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** What the commands that act on jobs share. */
final class JobActionOptions {
    private static final Duration LEAST = Duration.ofMillis(100);
    private static final Duration MOST = Duration.ofHours(1);

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Jobs, as \"magnet jobs\" lists them.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--signals",
            description = "Send signals to the processes, in the order of their tree, instead of using the freezer or"
                    + " cgroup.kill. Those of a task are gtrace's.")
    private boolean signals;

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "TIME",
            description = "Wait this long for each job, 0.1s to 1h. Default: 10 seconds.")
    private TimeSpan timeout = new TimeSpan(Duration.ofSeconds(10));

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Complains about a time that nobody can want. */
    void check(CommandLine command) {
        if (timeout().compareTo(LEAST) < 0 || timeout().compareTo(MOST) > 0) {
            throw new ParameterException(command, "--timeout TIME must be from 0.1s to 1h");
        }
    }

    List<String> names() {
        return names;
    }

    boolean bySignals() {
        return signals;
    }

    Duration timeout() {
        return timeout.duration();
    }

    boolean isJson() {
        return json;
    }
}
