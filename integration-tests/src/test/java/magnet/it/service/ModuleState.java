// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.KernelModule;

/** What the module's own files and the kernel say of the module. */
public final class ModuleState {
    private static final String HOOKED = "/sys/kernel/tracing/enabled_functions";
    private static final String CONTROL = "/sys/kernel/debug/magnet/control/";

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;

    /** What it is in this guest. */
    public ModuleState(Guest guest) {
        this.guest = guest;
    }

    /** Whether it is loaded. */
    public boolean isLoaded() {
        return KernelModule.isLoaded(guest);
    }

    /** Lines of control/events, the heading left out. */
    public List<String> events() {
        return lines("events");
    }

    /** Lines of control/filters, the headings left out. */
    public List<String> filters() {
        return lines("filters");
    }

    /** Points that have subscriptions or are hooked. */
    Set<String> pointsOn() {
        return events().stream()
                .map(line -> line.split(" ", -1))
                .filter(words ->
                        !words[4].equals("0") || String.join(" ", words).contains("=on"))
                .map(words -> words[1])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Lines of control/buffers, the heading left out. */
    List<String> buffers() {
        return lines("buffers");
    }

    /** Lines that tell of magnet among the functions that ftrace has hooked. */
    List<String> functionsHooked() {
        return guest.read(HOOKED)
                .lines()
                .filter(line -> line.contains("magnet"))
                .toList();
    }

    /** Events that were hit, of all subscriptions together, as control/stats counts them. */
    long hits() {
        return guest.read(CONTROL + "stats")
                .lines()
                .flatMap(line -> after(line, "hits ").stream())
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** Ticks of the records' timer in a microsecond. */
    double ticksPerMicro() {
        return guest.read(CONTROL + "clock")
                        .lines()
                        .flatMap(line -> after(line, "khz ").stream())
                        .mapToLong(Long::parseLong)
                        .findFirst()
                        .orElseThrow()
                / 1e3;
    }

    /** Until all of these have subscriptions. */
    public void awaitOn(String... points) {
        for (String point : points) {
            await("awk -v point=" + point + " '$2 == point && $5 > 0 { on = 1 } END { exit !on }' " + CONTROL
                    + "events");
        }
    }

    /** Until there is nothing left of any client: the module ends what a dead one owned soon after its death. */
    public void awaitNothingOn() {
        await("! grep -vq '^#' " + CONTROL + "buffers && ! grep -q =on " + CONTROL + "events && ! grep -q magnet "
                + HOOKED);
        assertThat(buffers()).isEmpty();
        assertThat(pointsOn()).isEmpty();
        assertThat(functionsHooked()).isEmpty();
    }

    /** Polls in the guest: there it costs least. */
    private void await(String condition) {
        guest.sh(LIMIT, "until " + condition + "; do sleep 0.1; done").orFail();
    }

    private List<String> lines(String file) {
        return guest.read(CONTROL + file)
                .lines()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }

    private static List<String> after(String line, String word) {
        int at = line.indexOf(word);
        return at < 0 ? List.of() : List.of(line.substring(at + word.length()).split(" ", -1)[0]);
    }
}
