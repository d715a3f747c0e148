// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ClockPolygonTest {
    private static final long FROM = 1_795_808_355_123_456_789L;
    private static final long LENGTH = 10_000_000_000L;
    private static final long OFFSET = 77_123_456_789L;
    private static final SlopeLimits LIMITS = new SlopeLimits(-2e-4, 3e-4);

    /** A packet: when it was sent and received. */
    private record Packet(boolean forth, long sentNs, long receivedNs) {}

    private static ClockPolygon polygon(List<Packet> packets, SlopeLimits limits) {
        return ClockPolygon.of(PairHulls.of(pair(packets)), FROM, FROM + LENGTH, limits);
    }

    static PairPackets pair(List<Packet> packets) {
        PairPackets pair = new PairPackets(0, 1);
        packets.forEach(packet -> pair.count(packet.forth() ? 0 : 1));
        packets.forEach(packet -> pair.add(packet.forth() ? 0 : 1, packet.sentNs(), packet.receivedNs()));
        return pair;
    }

    private static List<Packet> packets(Random random, int each, double slope) {
        List<Packet> packets = new ArrayList<>();
        for (int number = 0; number < 2 * each; number++) {
            long since = (long) (random.nextDouble() * LENGTH);
            long delay = 20_000 + (long) (-100_000 * Math.log(1 - random.nextDouble()));
            long first = FROM + since;
            long second = FROM + OFFSET + Math.round(since * slope);
            boolean forth = number % 2 == 0;
            packets.add(forth ? new Packet(true, first, second + delay) : new Packet(false, second, first + delay));
        }
        return packets;
    }

    /** Sutherland's and Hodgman's way: a rectangle that is cut by each packet's half-plane, all of them, one after the other. */
    private static List<double[]> cut(List<Packet> packets, SlopeLimits limits) {
        double big = 1e7;
        double least = limits.least() * LENGTH;
        double greatest = limits.greatest() * LENGTH;
        List<double[]> corners = new ArrayList<>(List.of(
                new double[] {least, -big}, new double[] {greatest, -big}, new double[] {greatest, big}, new double[] {
                    least, big
                }));
        for (Packet packet : packets) {
            long x = packet.forth() ? packet.sentNs() : packet.receivedNs() + PairHulls.GRAIN_NS;
            long y = packet.forth() ? packet.receivedNs() + PairHulls.GRAIN_NS : packet.sentNs();
            double place = (double) (x - FROM) / LENGTH - 0.5;
            double bound = y - x - OFFSET;
            double side = packet.forth() ? 1 : -1;
            List<double[]> left = new ArrayList<>();
            for (int corner = 0; corner < corners.size(); corner++) {
                double[] one = corners.get(corner);
                double[] next = corners.get((corner + 1) % corners.size());
                double over = side * (one[1] + one[0] * place - bound);
                double nextOver = side * (next[1] + next[0] * place - bound);
                if (over <= 0) {
                    left.add(one);
                }
                if ((over < 0 && nextOver > 0) || (over > 0 && nextOver < 0)) {
                    double part = over / (over - nextOver);
                    left.add(new double[] {one[0] + part * (next[0] - one[0]), one[1] + part * (next[1] - one[1])});
                }
            }
            corners = left;
        }
        return corners;
    }

    private static double[] extent(List<double[]> corners, double place) {
        double least = Double.POSITIVE_INFINITY;
        double greatest = Double.NEGATIVE_INFINITY;
        for (double[] corner : corners) {
            least = Math.min(least, corner[1] + corner[0] * place);
            greatest = Math.max(greatest, corner[1] + corner[0] * place);
        }
        return new double[] {least, greatest};
    }

    private static double[] extent(ClockPolygon polygon, double place) {
        List<double[]> corners = new ArrayList<>();
        for (int corner = 0; corner < polygon.corners(); corner++) {
            corners.add(new double[] {polygon.drift(corner), polygon.middle(corner) + (polygon.baseNs() - OFFSET)});
        }
        return extent(corners, place);
    }

    @Test
    void shouldBeWhatIsLeftWhenEachPacketCutsARectangle() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int each = 1 + random.nextInt(seed % 5 == 0 ? 300 : 12);
            List<Packet> packets = packets(random, each, 1 + (random.nextDouble() - 0.3) * 1e-4);

            ClockPolygon polygon = polygon(packets, LIMITS);
            List<double[]> expected = cut(packets, LIMITS);

            assertThat(polygon.isFeasible()).isEqualTo(!expected.isEmpty()).isTrue();
            for (double place = -0.75; place <= 0.75; place += 0.125) {
                assertThat(extent(polygon, place))
                        .as("seed %d, %d packets, at %f", seed, 2 * each, place)
                        .containsExactly(extent(expected, place), within(0.01));
            }
            double least =
                    expected.stream().mapToDouble(corner -> corner[0]).min().orElseThrow();
            double greatest =
                    expected.stream().mapToDouble(corner -> corner[0]).max().orElseThrow();
            assertThat(polygon.slopeMin()).isCloseTo(1 + least / LENGTH, within(1e-11));
            assertThat(polygon.slopeMax()).isCloseTo(1 + greatest / LENGTH, within(1e-11));
        }
    }

    @Test
    void shouldNeverBeWiderWithMorePackets() {
        for (int seed = 0; seed < 200; seed++) {
            List<Packet> packets = packets(new Random(seed), 40, 1 + 3e-5);
            ClockPolygon before = polygon(packets.subList(0, 2), LIMITS);
            for (int count = 3; count <= packets.size(); count++) {
                ClockPolygon after = polygon(packets.subList(0, count), LIMITS);
                for (double place = -0.5; place <= 0.5; place += 0.25) {
                    double[] wide = extent(before, place);
                    double[] narrow = extent(after, place);
                    assertThat(narrow[0]).as("seed %d, %d packets", seed, count).isGreaterThanOrEqualTo(wide[0] - 1e-3);
                    assertThat(narrow[1]).isLessThanOrEqualTo(wide[1] + 1e-3);
                }
                assertThat(after.slopeMin()).isGreaterThanOrEqualTo(before.slopeMin() - 1e-12);
                assertThat(after.slopeMax()).isLessThanOrEqualTo(before.slopeMax() + 1e-12);
                before = after;
            }
        }
    }

    @Test
    void shouldHaveItsCentreInside() {
        for (int seed = 0; seed < 500; seed++) {
            List<Packet> packets = packets(new Random(seed), 1 + seed % 7, 1 - 4e-5);
            ClockPolygon polygon = polygon(packets, LIMITS);
            for (Packet packet : packets) {
                long first = packet.forth() ? packet.sentNs() : packet.receivedNs();
                long second = first + polygon.offsetNs(polygon.place(first));
                long early = packet.forth() ? second - packet.receivedNs() : packet.sentNs() - second;
                assertThat(early).as("seed %d", seed).isLessThanOrEqualTo(2);
            }
        }
    }

    @Test
    void shouldSayByHowMuchPacketsContradictEachOther() {
        // The second node is 1 ms ahead by one packet, and 1 ms behind by another one.
        List<Packet> packets = List.of(
                new Packet(false, FROM + 1_000_000, FROM), new Packet(true, FROM + LENGTH, FROM + LENGTH - 1_000_000));

        ClockPolygon polygon = polygon(packets, new SlopeLimits(-1e-6, 1e-6));

        assertThat(polygon.isFeasible()).isFalse();
        assertThat(polygon.halfWidth()).isCloseTo(995_000, within(5.0));
        assertThat(polygon.slopeMin()).isCloseTo(1 - 1e-6, within(1e-12));
    }

    @Test
    void shouldBeHalfOfARoundTripWideWithOneOfEachAndASlopeThatIsKnown() {
        List<Packet> packets = List.of(
                new Packet(true, FROM + 1_000, FROM + OFFSET + 301_000),
                new Packet(false, FROM + OFFSET + 500_000, FROM + 606_000));

        ClockPolygon polygon = polygon(packets, new SlopeLimits(0, 0));

        assertThat(polygon.halfWidth()).isCloseTo(203_000, within(1.0));
        assertThat(polygon.offsetNs(0)).isCloseTo(OFFSET + 97_000, within(1L));
    }

    @Test
    void shouldTakeManyPackets() {
        List<Packet> packets = packets(new Random(5), 200_000, 1 + 2e-5);

        ClockPolygon polygon = polygon(packets, LIMITS);

        assertThat(polygon.slopeMin()).isLessThan(1 + 2e-5);
        assertThat(polygon.slopeMax()).isGreaterThan(1 + 2e-5);
        assertThat(polygon.halfWidth()).isBetween(19_000.0, 23_000.0);
    }
}
