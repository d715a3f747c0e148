// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.control.HitCounts;
import magnet.unit.ByteSize;

/** Says why events were lost, and what helps, in a line behind the account. Stateless. */
public final class LossAdvice {
    /** Below such a share what a command causes itself is not worth a word. */
    private static final int ONE_OF = 10;

    private LossAdvice() {}

    /**
     * Of a command with {@code --buffer-size}.
     *
     * @param hits what became of them
     * @param bufferBytes memory for each CPU's events
     * @return the line; empty if nothing was lost
     */
    public static Optional<String> of(HitCounts hits, long bufferBytes) {
        List<String> causes = new ArrayList<>();
        if (hits.droppedFull() > 0) {
            causes.add(hits.droppedFull() + " found the buffer full (use more than --buffer-size "
                    + new ByteSize(bufferBytes) + ", fewer points, or a rule that drops what is not wanted)");
        }
        if (hits.droppedStorm() > 0) {
            causes.add(were(hits.droppedStorm()) + " refused by a storm guard (magnet points lists guards)");
        }
        if (hits.droppedBig() > 0) {
            causes.add(were(hits.droppedBig()) + " too large for a record (use a smaller --snap)");
        }
        if (hits.droppedRecursion() > 0) {
            causes.add(hits.droppedRecursion() + " came inside a handler of their own kind, where none can be logged");
        }
        if (hits.missed() > 0) {
            causes.add(were(hits.missed()) + " missed by the kernel's probes (use fewer points)");
        }
        return causes.isEmpty() ? Optional.empty() : Optional.of("of the lost " + String.join(", ", causes));
    }

    private static String were(long number) {
        return Counted.of(number, "was", "were");
    }

    /**
     * Of a command with {@code --not-self}.
     *
     * @param lost whatever the cause
     * @param own events among those that were read which the command has caused itself
     * @param read all of those
     * @return the line; empty if that would not help
     */
    public static Optional<String> ofOwn(boolean lost, long own, long read) {
        return lost && own * ONE_OF >= read && own > 0
                ? Optional.of(own + " of the events came from this command itself: --not-self leaves them out, in the"
                        + " kernel")
                : Optional.empty();
    }
}
