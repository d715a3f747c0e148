// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PacketMatchingTest {
    private static final int ETH = 2;
    private static final int VETH = 5;
    private static final int CONTAINER = 7;

    private final PacketTable table = new PacketTable(1 << 16);
    private final LeftOutCounts leftOut = new LeftOutCounts();

    private void sent(long key, int node, int device, long time) {
        table.add(key, node, true, device, time);
    }

    private void received(long key, int node, int device, long time) {
        table.add(key, node, false, device, time);
    }

    /** As {@code sender>receiver sent received}. */
    private List<String> matched() {
        List<String> all = new ArrayList<>();
        for (PairPackets pair : new PacketMatching(table, 4, leftOut).match()) {
            add(all, pair.first() + ">" + pair.second(), pair.forth());
            add(all, pair.second() + ">" + pair.first(), pair.back());
        }
        return all;
    }

    private static void add(List<String> all, String nodes, PairPackets.Way way) {
        for (int packet = 0; packet < way.size(); packet++) {
            all.add(nodes + " " + way.sentNs(packet) + " " + way.receivedNs(packet));
        }
    }

    @Test
    void shouldFindPacketsBothWays() {
        sent(1, 0, ETH, 100);
        received(1, 1, ETH, 900);
        sent(2, 1, ETH, 950);
        received(2, 0, ETH, 170);

        assertThat(matched()).containsExactly("0>1 100 900", "1>0 950 170");
        assertThat(leftOut.asMap()).isEmpty();
    }

    @Test
    void shouldCountWhatOnlyOneEndHas() {
        sent(1, 0, ETH, 100);
        received(2, 0, ETH, 110);
        received(3, 1, ETH, 120);
        received(3, 2, ETH, 130);

        assertThat(matched()).isEmpty();
        assertThat(leftOut.of(LeftOut.NOT_RECEIVED)).isEqualTo(1);
        assertThat(leftOut.of(LeftOut.NOT_SENT)).isEqualTo(3);
    }

    @Test
    void shouldLeaveOutPacketsThatLookTheSame() {
        sent(1, 0, ETH, 100);
        sent(1, 0, ETH, 200);
        received(1, 1, ETH, 210);
        sent(2, 0, ETH, 300);
        received(2, 1, ETH, 310);
        received(2, 1, ETH, 320);
        // And two nodes that send what looks the same.
        sent(3, 0, ETH, 400);
        sent(3, 2, ETH, 400);
        received(3, 1, ETH, 410);

        assertThat(matched()).isEmpty();
        assertThat(leftOut.of(LeftOut.DUPLICATE)).isEqualTo(9);
        assertThat(leftOut.of(LeftOut.NOT_RECEIVED)).isZero();
    }

    @Test
    void shouldTakeOneDatagramForManyNodesAsAPairWithEach() {
        sent(1, 1, ETH, 100);
        received(1, 1, 1, 101);
        received(1, 0, ETH, 50);
        received(1, 2, ETH, 70);

        assertThat(matched()).containsExactlyInAnyOrder("1>0 100 50", "1>2 100 70");
    }

    @Test
    void shouldFollowAPacketThroughDevicesOfBothNodes() {
        sent(1, 0, CONTAINER, 100);
        received(1, 0, VETH, 110);
        sent(1, 0, ETH, 120);
        received(1, 1, ETH, 20);
        sent(1, 1, VETH, 30);
        received(1, 1, CONTAINER, 40);

        assertThat(matched()).containsExactly("0>1 100 20");
    }

    @Test
    void shouldBoundEachNodeThatAPacketPasses() {
        sent(1, 2, ETH, 100);
        received(1, 0, ETH, 500);
        sent(1, 0, VETH, 510);
        received(1, 1, ETH, 70);

        assertThat(matched()).containsExactlyInAnyOrder("2>0 100 500", "2>1 100 70");
    }

    @Test
    void shouldPutEqualStampsInTheOrderOfSending() {
        received(1, 0, VETH, 100);
        sent(1, 0, CONTAINER, 100);
        received(1, 1, ETH, 90);

        assertThat(matched()).containsExactly("0>1 100 90");
    }

    @Test
    void shouldKeepTheSamePacketsOnAllNodesWhenThereAreTooMany() {
        PacketTable small = new PacketTable(1_000);
        Random random = new Random(1);
        long[] keys = random.longs(20_000).toArray();
        for (long key : keys) {
            small.add(key, 0, true, ETH, 5);
        }
        for (long key : keys) {
            small.add(key, 1, false, ETH, 6);
        }
        List<PairPackets> pairs = new PacketMatching(small, 2, leftOut).match();

        assertThat(small.sampled()).isEqualTo(64);
        assertThat(small.size()).isLessThanOrEqualTo(1_000);
        long expected =
                java.util.Arrays.stream(keys).filter(key -> (key & 63) == 0).count();
        assertThat(pairs.get(0).forth().size()).isEqualTo((int) expected);
        assertThat(leftOut.asMap()).isEmpty();
    }

    @Test
    void shouldHoldOutAgainstAStormOfOneKey() {
        PacketTable small = new PacketTable(1_000);
        for (int time = 0; time < 100_000; time++) {
            small.add(0x1234_5678_9abc_def1L, 0, true, time % 3, time);
        }
        small.add(0x1000, 0, true, ETH, 1);
        small.add(0x1000, 1, false, ETH, 1);

        List<PairPackets> pairs = new PacketMatching(small, 2, leftOut).match();

        assertThat(small.sampled()).isEqualTo(2);
        assertThat(pairs).hasSize(1);
    }
}
