// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A trace that was saved from a flight recorder. Immutable.
 *
 * @param recorder the flight recorder's name
 * @param folder where the trace is
 * @param events of the points that were asked for
 * @param names further events, which say what threads are called
 * @param owners further events, which say whose they are
 * @param bytes of packets
 * @param begin when the first event happened; empty if there is none
 * @param end when the last one did
 * @param overwritten older records that the flight recorder had given up, since it was started
 * @param lost events that found no place in it since then
 * @param lacking what the kernel said of CPUs that are missing; empty if there are all
 * @param removed older traces that were removed for it
 * @param kept which older trace cannot be removed, and why; empty if none had to stay
 */
public record Saved(
        String recorder,
        Path folder,
        long events,
        long names,
        long owners,
        long bytes,
        Optional<Instant> begin,
        Optional<Instant> end,
        long overwritten,
        long lost,
        String lacking,
        int removed,
        String kept) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /** The same trace, with what became of older ones. */
    Saved withOlder(int nowRemoved, String nowKept) {
        return new Saved(
                recorder,
                folder,
                events,
                names,
                owners,
                bytes,
                begin,
                end,
                overwritten,
                lost,
                lacking,
                nowRemoved,
                nowKept);
    }

    /** How long it is from the first event to the last. */
    public Duration span() {
        return begin.isEmpty() || end.isEmpty() ? Duration.ZERO : Duration.between(begin.get(), end.get());
    }

    /** One line for people. */
    public String text() {
        StringBuilder text =
                new StringBuilder(counted(events, "event")).append(" saved in ").append(folder);
        if (events > 0) {
            text.append(String.format(Locale.ROOT, ", of %.3f s", span().toMillis() / MILLIS_PER_SECOND));
        }
        if (names > 0) {
            text.append(", and ").append(names).append(" that say what threads are called");
        }
        if (owners > 0) {
            text.append(", and ").append(owners).append(" that say whose they are");
        }
        text.append("; before them ");
        text.append(overwritten == 0 ? "nothing" : counted(overwritten, "record"));
        text.append(overwritten > 1 ? " were overwritten, " : " was overwritten, ");
        text.append(lost == 0 ? "and nothing was lost" : counted(lost, "event") + " lost");
        if (!lacking.isEmpty()) {
            text.append("; ").append(lacking);
        }
        if (removed > 0) {
            text.append("; ").append(counted(removed, "older trace"));
            text.append(removed > 1 ? " were removed" : " was removed");
        }
        return kept.isEmpty()
                ? text.toString()
                : text.append("; not removed: ").append(kept).toString();
    }

    private static String counted(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
