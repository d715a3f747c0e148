// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClockSolutionTest {
    private static final int CLUSTERS = 300;

    @Test
    void shouldContainTheTruthAndContradictNoPairInEachCluster() throws SyncException {
        int moved = 0;
        for (int seed = 0; seed < CLUSTERS; seed++) {
            int nodes = 3 + seed % 4;
            MadeUpNodes made = new MadeUpNodes(seed, nodes);
            for (int one = 0; one < nodes; one++) {
                for (int other = one + 1; other < nodes; other++) {
                    made.talk(one, other, 100);
                }
            }
            List<NodeTrace> traces = made.nodes();
            List<PairBounds> bounds = new ArrayList<>();

            ClockSolution found = made.solve(Optional.empty());

            assertThat(made.isTrue(found)).as("truth of seed %d", seed).isTrue();
            assertThat(found.violations()).as("violations of seed %d", seed).isEmpty();
            assertThat(found.pairs().stream().filter(ClockPair::tree)).hasSize(nodes - 1);
            bounds.addAll(found.bounds());
            moved += treeAloneContradicts(traces, bounds, found.reference()) ? 1 : 0;
        }
        // Otherwise nothing had to be moved, and that would be untested.
        assertThat(moved).isGreaterThan(CLUSTERS / 10);
    }

    /** Whether the lines that the tree alone gives contradict packets of a pair. */
    private static boolean treeAloneContradicts(List<NodeTrace> traces, List<PairBounds> bounds, int reference) {
        ClockTree tree = ClockTree.of(traces.size(), bounds, reference);
        ReferenceLine[] lines = new ReferenceLine[traces.size()];
        for (int node : tree.order()) {
            PairBounds edge = tree.edge(node);
            lines[node] = edge == null
                    ? ReferenceLine.ofReference(traces.get(node))
                    : ReferenceLine.behind(lines[tree.parent(node)], traces.get(node), edge, edge.second() == node);
        }
        return bounds.stream()
                .anyMatch(pair -> CausalityCheck.of(
                                pair.packets(), lines[pair.first()].clock(), lines[pair.second()].clock())
                        .isPresent());
    }

    @Test
    void shouldSayHowFarPairsMayBeFromTheTruthAsWell() throws SyncException {
        for (int seed = 0; seed < 50; seed++) {
            MadeUpNodes made = new MadeUpNodes(seed, 3);
            made.talk(0, 1, 100);
            made.talk(1, 2, 100);
            made.talk(0, 2, 100);
            ClockSolution found = made.solve(Optional.of(1));
            for (ClockPair pair : found.pairs()) {
                int one = pair.first().charAt(1) - '1';
                int other = pair.second().charAt(1) - '1';
                for (double at = 0; at <= 10e9; at += 1e9) {
                    long first = found.clocks().get(one).toReferenceNs(made.stamp(one, at));
                    long second = found.clocks().get(other).toReferenceNs(made.stamp(other, at));
                    assertThat((double) Math.abs(first - second)).isLessThanOrEqualTo(pair.alignedWithinNs() + 3);
                }
            }
        }
    }

    @Test
    void shouldPutClocksTogetherByThePairsThatBoundThemBest() throws SyncException {
        MadeUpNodes made = new MadeUpNodes(7, 4);
        // A ring in which one pair is bad, and a pair that has seen packets one way only.
        good(made, 0, 1);
        good(made, 1, 2);
        good(made, 2, 3);
        made.send(3, 0, 300, 5_000_000);
        made.send(0, 3, 300, 5_000_000);
        made.send(0, 2, 300, 1_000);

        ClockSolution found = made.solve(Optional.empty());

        assertThat(found.pairs().stream().filter(ClockPair::tree).map(pair -> pair.first() + pair.second()))
                .containsExactly("n1n2", "n2n3", "n3n4");
        // From n2 and from n3 the furthest node is two pairs away, from the others it is three.
        assertThat(found.reference()).isIn(1, 2);
        ClockPair oneWay = found.pairs().stream()
                .filter(pair -> pair.first().equals("n1") && pair.second().equals("n3"))
                .findFirst()
                .orElseThrow();
        assertThat(oneWay.bounded()).isFalse();
        assertThat(oneWay.matchedForth()).isEqualTo(300);
        assertThat(oneWay.matchedBack()).isZero();
        assertThat(found.violations()).isEmpty();
        assertThat(made.isTrue(found)).isTrue();
    }

    private static void good(MadeUpNodes made, int one, int other) {
        made.send(one, other, 300, 20_000);
        made.send(other, one, 300, 20_000);
    }

    @Test
    void shouldTakeTheReferenceThatIsWanted() throws SyncException {
        MadeUpNodes made = new MadeUpNodes(8, 3);
        good(made, 0, 1);
        good(made, 1, 2);

        ClockSolution found = made.solve(Optional.of(2));

        assertThat(found.reference()).isEqualTo(2);
        assertThat(found.clocks().get(2).toReferenceNs(12_345)).isEqualTo(12_345);
        assertThat(found.clocks().get(2).halfWidthsNs()).containsOnly(0.0);
        assertThat(made.isTrue(found)).isTrue();
    }

    @Test
    void shouldNameNodesThatNothingBounds() {
        MadeUpNodes made = new MadeUpNodes(9, 4);
        good(made, 0, 2);
        good(made, 1, 3);
        made.send(0, 1, 10, 1_000);

        assertThatThrownBy(() -> made.solve(Optional.empty()))
                .isInstanceOf(SyncException.class)
                .hasMessageStartingWith("no packets go both ways between n1, n3 and n2, n4, so that nothing bounds");
    }

    @Test
    void shouldNameThePacketThatContradictsTheOthers() throws SyncException {
        MadeUpNodes made = new MadeUpNodes(10, 2);
        good(made, 0, 1);
        made.send(4711, 1, 0, 5e9, -3_000_000);

        ClockSolution found = made.solve(Optional.empty());

        assertThat(found.bounds().get(0).isBounded()).isFalse();
        assertThat(found.violations()).hasSize(1);
        Violation violation = found.violations().get(0);
        assertThat(violation.sender()).isEqualTo(1);
        assertThat(violation.sentNs()).isEqualTo(made.stamp(1, 5e9));
        assertThat(violation.count())
                .isEqualTo(found.pairs().get(0).violations())
                .isPositive();
        assertThat(found.pairs().get(0).bounded()).isFalse();
        // The line that is contradicted least is in the middle between the packet and those that went the other way.
        assertThat(violation.byNs()).isBetween(1_400_000L, 1_500_000L);
    }
}
