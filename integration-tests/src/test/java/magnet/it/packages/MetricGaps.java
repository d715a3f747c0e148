// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;

/**
 * For how long gmond did not hear of each of magnet's metrics, by its own clock, which is the guest's: it is asked each second.
 * For one thread.
 */
final class MetricGaps {
    /** A line for each metric: name and seconds since it was heard of. */
    private static final String AGES =
            "cat </dev/tcp/127.0.0.1/8649 | sed -n 's/^<METRIC NAME=\"\\(magnet_[^\"]*\\)\".* TN=\"\\([0-9]*\\)\".*/\\1 \\2/p'";

    /** The last one may be cut. */
    private static final Pattern LINE = Pattern.compile("(\\w+) (\\d+)\n");

    private static final String LOOK_FOR_EVER = "while sleep 1; do " + AGES + "; done";

    /** Until each metric was heard of after the service that runs now had started. */
    private static final String AWAIT_ALL = """
            all_heard_of() {
                started=$(systemctl show --value -p ActiveEnterTimestampMonotonic magnetd)
                %s | awk -v "started=$started" 'BEGIN { getline <"/proc/uptime"; running = $1 - started / 1e6 }
                    $2 + 1 > running { old = 1 } END { exit !NR || old }'
            }
            until all_heard_of; do sleep 1; done
            """.formatted(AGES);

    private final Guest guest;
    private final GuestProcess look;

    private MetricGaps(Guest guest, GuestProcess look) {
        this.guest = guest;
        this.look = look;
    }

    /** Begins to look, and has looked once when it returns. */
    static MetricGaps watch(Guest guest, Duration limit) {
        GuestProcess look = guest.start("bash", "-c", LOOK_FOR_EVER);
        look.awaitOutput("\n", limit);
        return new MetricGaps(guest, look);
    }

    /**
     * Waits until a service that has just been started has published all that gmond has, and ends looking.
     *
     * @return the longest gap of each metric in seconds
     */
    Map<String, Integer> endAfterAllCameAgain(Duration limit) {
        guest.sh(limit, AWAIT_ALL).orFail();
        Map<String, Integer> longest = new LinkedHashMap<>();
        LINE.matcher(look.kill().stdout())
                .results()
                .forEach(line -> longest.merge(line.group(1), Integer.valueOf(line.group(2)), Math::max));
        return longest;
    }
}
