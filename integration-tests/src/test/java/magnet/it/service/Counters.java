// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;
import org.awaitility.Awaitility;

/** The kernel's own counters in a guest, read before and after what is published. */
final class Counters {
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private Counters() {}

    /** What a script prints: "name count" a line; counts of the same name are added up. */
    static Map<String, Long> read(Guest guest, String script) {
        Map<String, Long> counters = new TreeMap<>();
        guest.sh(LIMIT, script)
                .orFail()
                .stdout()
                .lines()
                .map(line -> line.split(" ", -1))
                .forEach(words -> counters.merge(words[0], Long.parseLong(words[1]), Long::sum));
        return counters;
    }

    /** What each grew by; what is new began with 0. */
    static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> difference = new TreeMap<>();
        after.forEach((name, count) -> difference.put(name, count - before.getOrDefault(name, 0L)));
        return difference;
    }

    /** The second publication that comes from now on was computed after now. */
    static void awaitTwoPublications(Gmond gmond, Guest guest) {
        for (int publication = 0; publication < 2; publication++) {
            String before = gmond.xml().metric(WINDOW).orElseThrow().value();
            Awaitility.await()
                    .pollInterval(Duration.ofSeconds(1))
                    .atMost(guest.options().scaled(LIMIT))
                    .until(() ->
                            !gmond.xml().metric(WINDOW).orElseThrow().value().equals(before));
        }
    }
}
