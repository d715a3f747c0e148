// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A thousand pairs of clocks that are known: what is found has the truth within its bounds. */
final class SyntheticPairsTest {
    private static final int PAIRS = 1_000;
    private static final long SEED = 20_261_127;
    private static final int INSTANTS = 101;

    @Test
    void shouldContainTheTruthEachTime() throws SyncException {
        int contained = 0;
        int narrow = 0;
        for (int number = 0; number < PAIRS; number++) {
            MadeUpPair made = new MadeUpPair(SEED + number);
            made.exchange();
            List<PairPackets> packets = made.match();
            ClockSolution found = ClockSolution.of(made.nodes(), packets, Optional.of(0));
            ClockPair pair = found.pairs().get(0);

            assertThat(pair.violations())
                    .as("violations of seed %d", SEED + number)
                    .isZero();
            assertThat(pair.matchedForth() + pair.matchedBack())
                    .as("matched packets of seed %d", SEED + number)
                    .isEqualTo(made.exchanged - made.ambiguous);
            contained += hasTruth(made, pair, found.clocks().get(1)) ? 1 : 0;
            narrow += pair.halfWidthNs() < 50_000_000 ? 1 : 0;
        }
        assertThat(contained).isEqualTo(PAIRS);
        // A bound that says nothing would have the truth, too.
        assertThat(narrow).isGreaterThan(PAIRS * 9 / 10);
    }

    private static boolean hasTruth(MadeUpPair made, ClockPair pair, NodeClock second) {
        boolean has = pair.bounded() && pair.slopeMin() <= made.slope && made.slope <= pair.slopeMax();
        for (int instant = -10; instant < INSTANTS + 10; instant++) {
            double since = (double) made.lengthNs * instant / (INSTANTS - 1);
            long secondNs = MadeUpPair.BEGIN + Math.round(made.secondNs(since));
            double error = Math.abs(second.toReferenceNs(secondNs) - MadeUpPair.BEGIN - since);
            has &= error <= second.halfWidthNs(secondNs) + 1;
        }
        return has;
    }
}
