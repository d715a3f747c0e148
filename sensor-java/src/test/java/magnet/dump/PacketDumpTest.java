// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import magnet.os.ThreadComm;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.WordKind;
import magnet.record.Words;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ticks are nanoseconds; 0 is 2026-09-21T14:13:20Z. The device eth0 has the index 2, this namespace the inode 7. */
final class PacketDumpTest {
    private static final int A = 0x0a000001;
    private static final int B = 0x0a000002;
    private static final long HERE = 7;
    private static final long ELSEWHERE = 8;
    private static final long PATIENCE_NANOS = PacketCapture.PATIENCE_MS * 1_000_000L;
    private static final long LONG_AFTER = 1_000_000_000;
    private static final byte[] DATAGRAM = PacketRecords.udp(A, B, 4_000, 53, 29);

    private final PacketRecords records = new PacketRecords();
    private final ClockModel clock = new ClockModel(1_000_000, 0, 1_790_000_000_000_000_000L, 0);
    private final List<String> lines = new ArrayList<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @TempDir
    private Path folder;

    @BeforeEach
    void makeMachine() throws IOException {
        Files.createDirectories(folder.resolve("proc/self/ns"));
        Files.createSymbolicLink(folder.resolve("proc/self/ns/net"), Path.of("net:[" + HERE + "]"));
        thread(419, "python3");
        thread(77, "a b\033");
        device("lo", 1, 772);
        device("eth0", 2, 1);
    }

    private Words words = Words.common().with(WordKind.DROP_REASON, Map.of(3, "NO_SOCKET"));

    private void thread(int thread, String name) throws IOException {
        Files.createDirectories(folder.resolve("proc/" + thread));
        Files.writeString(folder.resolve("proc/" + thread + "/comm"), name + "\n");
    }

    private void device(String name, int index, int type) throws IOException {
        Path device = Files.createDirectories(folder.resolve("net/" + name));
        Files.writeString(device.resolve("ifindex"), index + "\n");
        Files.writeString(device.resolve("type"), type + "\n");
    }

    private final Map<Integer, String> owners = new HashMap<>();

    private PacketDump.Scene scene() {
        return new PacketDump.Scene(
                clock,
                true,
                1_000_000,
                words,
                new Interfaces(folder.resolve("proc"), folder.resolve("net")),
                new SeenThreads(thread -> ThreadComm.of(folder.resolve("proc"), thread)),
                process -> owners.getOrDefault(process, ""));
    }

    private List<String> dump(String expression, long most, boolean allNamespaces) throws Exception {
        lines.clear();
        DumpPlan plan = DumpPlan.of(expression, OptionalInt.empty(), true);
        PacketDump dump = PacketDump.toLines(
                scene(), plan, new PacketDump.Extent(128, most, allNamespaces), new ToList(), ZoneOffset.UTC);
        records.handTo(dump);
        dump.release(0, 0);
        dump.release(LONG_AFTER, LONG_AFTER);
        dump.flush();
        assertThat(dump.shown()).isEqualTo(lines.size() / 2);
        return lines;
    }

    private List<String> dump() throws Exception {
        return dump("", Long.MAX_VALUE, false);
    }

    private final class ToList implements PacketDump.Lines {
        @Override
        public void line(CharSequence text) {
            lines.add(text.toString());
        }

        @Override
        public void flush() {}
    }

    /** A datagram out, from the call to the driver. */
    private void send(long timer, long id) {
        records.call(EventType.INET_SENDMSG, timer, 5, 17)
                .call(EventType.UDP_SENDMSG, timer + 100, 5, 17)
                .packet(EventType.IP_SEND_SKB, timer + 300, 5, id)
                .packet(EventType.DEV_QUEUE_XMIT, timer + 400, 5, id)
                .packet(EventType.NET_DEV_START_XMIT, timer + 500, 5, id, 2, Ethertype.IPV4, DATAGRAM);
    }

    @Test
    void shouldSayIpsHeaderWhenItIsWanted() throws Exception {
        byte[] packet = PacketRecords.bytes(PacketRecords.ipv6(1, 2, 47, 8));
        records.packet(EventType.NET_DEV_START_XMIT, 500, 5, 9, 2, Ethertype.IPV6, packet);
        records.answer(600, 9, 2, HERE);
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, Long.MAX_VALUE, false),
                new ToList(),
                ZoneOffset.UTC,
                new LineStyle(LineStyle.Time.NONE, false, false, false, true, LineStyle.Bytes.NONE));
        records.handTo(dump);
        dump.releaseAll();
        assertThat(lines.get(0))
                .contains("IP6 (class 0x00, flowlabel 0x00000, hlim 64, next-header gre (47), payload length 8) ");
    }

    /** The thread that /proc knows by now is another one. */
    @Test
    void shouldNameTheThreadAsTheRecordsBeforeDo() throws Exception {
        RecordWriter exec = new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, 419, 419, 419, 900)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short");
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, Long.MAX_VALUE, false),
                new ToList(),
                ZoneOffset.UTC);
        dump.onRecord(new RecordFlyweight(RecordLayout.WIDE).wrap(exec.buffer(), 0));
        send(1_000, 9);
        records.answer(1_900, 9, 2, HERE);
        records.handTo(dump);
        dump.release(0, 0);
        dump.release(LONG_AFTER, LONG_AFTER);
        assertThat(lines.get(1)).contains(" thread=419(short): inet_sendmsg +0,");
    }

    @Test
    void shouldAskForTheNameWhereEventsWereLost() throws Exception {
        RecordWriter before = new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, 419, 419, 419, 900)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short");
        int lost = before.size();
        before.record(EventType.LOST, 0, 0, 0, 0, 950, 3, 910, 920);
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, Long.MAX_VALUE, false),
                new ToList(),
                ZoneOffset.UTC);
        dump.onRecord(new RecordFlyweight(RecordLayout.WIDE).wrap(before.buffer(), 0));
        dump.onRecord(new RecordFlyweight(RecordLayout.WIDE).wrap(before.buffer(), lost));
        send(1_000, 9);
        records.answer(1_900, 9, 2, HERE);
        records.handTo(dump);
        dump.release(0, 0);
        dump.release(LONG_AFTER, LONG_AFTER);
        assertThat(lines.get(1)).contains(" thread=419(python3): inet_sendmsg +0,");
    }

    @Test
    void shouldShowADatagramThatGoesOutWithItsJourney() throws Exception {
        send(1_000, 9);
        records.answer(1_900, 9, 2, HERE);
        assertThat(dump())
                .containsExactly(
                        "14:13:20.000001500 eth0 Out IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                        "    tsc=1500 cpu=0 thread=419(python3): inet_sendmsg +0, udp_sendmsg +100, ip_send_skb +300,"
                                + " dev_queue_xmit +400, net_dev_start_xmit +500, net_dev_xmit +900");
    }

    @Test
    void shouldTellWhoseThreadsAreOnTheWay() throws Exception {
        owners.put(400, "slurm:4711");
        owners.put(70, "user:\u00fc");
        records.packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 9, 1, Ethertype.IPV4, DATAGRAM)
                .packet(EventType.UDP_RCV, 1_300, 0, 9)
                .at(0, 70, 77)
                .packet(EventType.SKB_CONSUME_UDP, 9_000, 5, 9);
        assertThat(dump().get(1))
                .isEqualTo(
                        "    tsc=1100 cpu=0 thread=419(python3) owner=slurm:4711: netif_receive_skb +0, udp_rcv +200,"
                                + " [cpu=0 thread=77(a\\x20b\\x1b) owner=user:\\xc3\\xbc] skb_consume_udp +7900");
    }

    @Test
    void shouldShowADatagramThatComesInWithItsJourneyToItsProgram() throws Exception {
        records.at(1, 0, 0)
                .handedUp(1_000, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .packet(EventType.IP_LOCAL_DELIVER, 1_200, 0, 9)
                .packet(EventType.UDP_RCV, 1_300, 0, 9)
                .packet(EventType.UDP_ENQUEUE, 1_400, 5, 9)
                .at(0, 70, 77)
                .packet(EventType.SKB_CONSUME_UDP, 9_000, 5, 9);
        assertThat(dump())
                .containsExactly(
                        "14:13:20.000001100 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                        "    tsc=1100 cpu=1 thread=0(idle): net_dev_receive +0, netif_receive_skb +100,"
                                + " ip_local_deliver +200, udp_rcv +300, udp_enqueue +400,"
                                + " [cpu=0 thread=77(a\\x20b\\x1b)] skb_consume_udp +8000");
    }

    @Test
    void shouldSayWhyAPacketWasDropped() throws Exception {
        records.handedUp(1_000, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .drop(1_500, 9, 3);
        assertThat(dump().get(1)).endsWith("netif_receive_skb +100, kfree_skb +500; dropped: NO_SOCKET");
    }

    /** The buffer's address is used again: nothing of the first packet is said of the second. */
    @Test
    void shouldBeginAnewWhenAnotherPacketHasTheId() throws Exception {
        send(1_000, 9);
        records.answer(1_900, 9, 2, HERE);
        records.handedUp(5_000, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 5_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .packet(EventType.IP_LOCAL_DELIVER, 5_200, 0, 9)
                .packet(EventType.UDP_RCV, 5_300, 0, 9);
        records.packet(EventType.DEV_QUEUE_XMIT, 6_000, 0, 9)
                .packet(EventType.NET_DEV_START_XMIT, 6_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .answer(6_200, 9, 2, HERE);
        assertThat(dump()).hasSize(6);
        assertThat(lines.get(1)).endsWith("net_dev_start_xmit +500, net_dev_xmit +900");
        assertThat(lines.get(3))
                .endsWith(": net_dev_receive +0, netif_receive_skb +100, ip_local_deliver +200, udp_rcv +300");
        assertThat(lines.get(5)).endsWith(": dev_queue_xmit +0, net_dev_start_xmit +100, net_dev_xmit +200");
    }

    /** The call was for the first packet; what its thread sends then is not that call's. */
    @Test
    void shouldEndACallWithItsFirstPacket() throws Exception {
        send(1_000, 9);
        records.answer(1_600, 9, 2, HERE)
                .packet(EventType.IP_QUEUE_XMIT, 2_000, 5, 10)
                .packet(EventType.NET_DEV_START_XMIT, 2_100, 5, 10, 2, Ethertype.IPV4, DATAGRAM)
                .answer(2_200, 10, 2, HERE);
        assertThat(dump().get(3)).contains(": ip_queue_xmit +0, net_dev_start_xmit +100");
    }

    /** veth hands up what it is given while it is given it. */
    @Test
    void shouldFollowAPacketToTheOtherSideOfAPair() throws Exception {
        device("far", 3, 1);
        send(1_000, 9);
        records.handedUp(1_600, 9, 3, HERE)
                .answer(1_700, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_800, 0, 9, 3, Ethertype.IPV4, DATAGRAM)
                .packet(EventType.UDP_RCV, 1_900, 0, 9);
        assertThat(dump()).hasSize(4);
        assertThat(lines.get(0)).contains(" eth0 Out IP ");
        assertThat(lines.get(2)).contains(" far In IP ");
        String journey =
                ": inet_sendmsg +0, udp_sendmsg +100, ip_send_skb +300, dev_queue_xmit +400, net_dev_start_xmit"
                        + " +500, net_dev_receive +600, net_dev_xmit +700, netif_receive_skb +800, udp_rcv +900";
        assertThat(lines.get(1)).endsWith(journey);
        assertThat(lines.get(3)).endsWith(journey);
    }

    @Test
    void shouldShowWhatTheLoopbackCarriesOnce() throws Exception {
        records.call(EventType.UDP_SENDMSG, 1_000, 5, 17)
                .packet(EventType.IP_SEND_SKB, 1_100, 5, 9)
                .packet(EventType.DEV_QUEUE_XMIT, 1_200, 5, 9)
                .packet(EventType.NET_DEV_START_XMIT, 1_300, 5, 9, 1, Ethertype.IPV4, DATAGRAM)
                .handedUp(1_400, 9, 1, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_500, 0, 9, 1, Ethertype.IPV4, DATAGRAM);
        assertThat(dump()).hasSize(2);
        assertThat(lines.get(0)).contains(" lo In IP ");
        assertThat(lines.get(1))
                .endsWith(": udp_sendmsg +0, ip_send_skb +100, dev_queue_xmit +200, net_dev_receive +400,"
                        + " netif_receive_skb +500");
    }

    @Test
    void shouldFollowAPacketThatIsForwarded() throws Exception {
        device("eth1", 3, 1);
        records.handedUp(1_000, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .packet(EventType.DEV_QUEUE_XMIT, 1_200, 0, 9)
                .packet(EventType.NET_DEV_START_XMIT, 1_300, 0, 9, 3, Ethertype.IPV4, DATAGRAM)
                .answer(1_400, 9, 3, HERE);
        assertThat(dump()).hasSize(4);
        assertThat(lines.get(3)).contains(": net_dev_receive +0, netif_receive_skb +100, dev_queue_xmit +200,");
    }

    @Test
    void shouldLeaveOutOtherNamespacesUnlessTheyAreWanted() throws Exception {
        records.handedUp(1_000, 9, 2, ELSEWHERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 9, 2, Ethertype.IPV4, DATAGRAM);
        send(2_000, 10);
        records.answer(3_000, 10, 2, ELSEWHERE)
                // Its record of net_dev_receive was lost.
                .packet(EventType.NETIF_RECEIVE_SKB, 4_100, 0, 11, 2, Ethertype.IPV4, DATAGRAM);
        assertThat(dump()).hasSize(2);
        assertThat(dump("", Long.MAX_VALUE, true)).hasSize(6);
        assertThat(lines.get(0)).contains(" if2@8 In IP ");
        assertThat(lines.get(2)).contains(" if2@8 Out IP ");
        assertThat(lines.get(4)).contains(" eth0 In IP ");
    }

    @Test
    void shouldApplyWhatRulesCannotSay() throws Exception {
        records.packet(EventType.NETIF_RECEIVE_SKB, 1_000, 0, 1, 2, Ethertype.ARP, PacketRecords.arp(true, A, B))
                .packet(EventType.NETIF_RECEIVE_SKB, 1_100, 0, 2, 2, Ethertype.ARP, PacketRecords.arp(true, B, A + 9));
        assertThat(dump("host 10.0.0.1", Long.MAX_VALUE, false)).hasSize(2);
        assertThat(lines.get(0)).endsWith("ARP, Request who-has 10.0.0.2 tell 10.0.0.1, length 28");
    }

    @Test
    void shouldEndAfterEnoughPackets() throws Exception {
        for (int i = 0; i < 10; i++) {
            records.packet(EventType.NETIF_RECEIVE_SKB, 1_000 + i, 0, i, 2, Ethertype.IPV4, DATAGRAM);
        }
        assertThat(dump("", 4, false)).hasSize(8);
    }

    @Test
    void shouldHoldAPacketUntilItsJourneyEndsButNotForLong() throws Exception {
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, 9, false),
                new ToList(),
                ZoneOffset.UTC);
        dump.release(0, 10);
        records.packet(EventType.NETIF_RECEIVE_SKB, 1_000, 0, 9, 2, Ethertype.IPV4, DATAGRAM)
                .handTo(dump);
        long taken = 10 * PATIENCE_NANOS;
        dump.release(20, taken);
        assertThat(dump.isWaiting()).as("however long the reading took").isTrue();
        dump.release(taken + PATIENCE_NANOS - 1, taken + 9 * PATIENCE_NANOS);
        assertThat(dump.isWaiting()).as("its end may be logged and not read").isTrue();
        assertThat(lines).isEmpty();
        dump.release(taken + PATIENCE_NANOS, taken + PATIENCE_NANOS);
        assertThat(lines).hasSize(2);
    }

    /** A day later by the wall clock; the timer begins anew. What is held is of the old epoch, and so is what has begun. */
    @Test
    void shouldShowWhatIsHeldByTheClockOfItsEpochAndJoinNothingAcrossAJump() throws Exception {
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, 9, false),
                new ToList(),
                ZoneOffset.UTC);
        send(1_000_000, 9);
        records.packet(EventType.NETIF_RECEIVE_SKB, 1_001_000, 0, 10, 2, Ethertype.IPV4, DATAGRAM)
                .call(EventType.INET_SENDMSG, 1_002_000, 6, 17)
                .handTo(dump);
        dump.onNewEpoch(1);
        clock.update(0, 1_790_000_000_000_000_000L + 86_400_000_000_000L + 60_000_000_000L, 1_000_000, 1);
        new PacketRecords()
                .answer(100, 9, 2, HERE)
                .packet(EventType.UDP_RCV, 200, 0, 10)
                .packet(EventType.IP_SEND_SKB, 300, 6, 11)
                .packet(EventType.NET_DEV_START_XMIT, 400, 6, 11, 2, Ethertype.IPV4, DATAGRAM)
                .answer(500, 11, 2, HERE)
                .handTo(dump);
        dump.release(0, 0);
        dump.release(LONG_AFTER, LONG_AFTER);
        assertThat(lines).hasSize(6);
        assertThat(lines.get(0)).startsWith("14:13:20.001000500 eth0 Out");
        assertThat(lines.get(1)).endsWith("dev_queue_xmit +400, net_dev_start_xmit +500");
        assertThat(lines.get(2)).startsWith("14:13:20.001001000 eth0 In");
        assertThat(lines.get(3)).endsWith(": netif_receive_skb +0");
        assertThat(lines.get(4)).startsWith("14:14:20.000000400 eth0 Out");
        assertThat(lines.get(5)).endsWith(": ip_send_skb +0, net_dev_start_xmit +100, net_dev_xmit +200");
    }

    /** What its driver said of the first packet may have been in the bytes that are no record. */
    @Test
    void shouldTakeAGapForALoss() throws Exception {
        PacketDump dump = PacketDump.toLines(
                scene(),
                DumpPlan.of("", OptionalInt.empty(), true),
                new PacketDump.Extent(128, 9, false),
                new ToList(),
                ZoneOffset.UTC);
        send(1_000, 9);
        records.handTo(dump);
        dump.onGap(0);
        new PacketRecords().answer(1_900, 9, 2, HERE).handTo(dump);
        dump.releaseAll();
        assertThat(lines.get(1)).endsWith("dev_queue_xmit +400, net_dev_start_xmit +500");
    }

    @Test
    void shouldShowPacketsOfEachKind() throws Exception {
        ByteBuffer tcp = PacketRecords.ipv4(A, B, 6, 0, 20 + 11);
        tcp.putShort((short) 80).putShort((short) 9).put(20 + 12, (byte) 0x50).put(20 + 13, (byte) 0x19);
        ByteBuffer ping = PacketRecords.ipv4(A, B, 1, 0, 64).put((byte) 8);
        ping.putShort(24, (short) 3).putShort(26, (short) 4);
        ByteBuffer neighbour = PacketRecords.ipv6(1, 0, 58, 24).put((byte) 135);
        byte[][] packets = {
            PacketRecords.bytes(tcp),
            PacketRecords.bytes(ping),
            PacketRecords.bytes(neighbour),
            PacketRecords.bytes(PacketRecords.ipv4(A, B, 17, 5, 30)),
            PacketRecords.arp(false, A, B),
            new byte[] {1, 2, 3},
            new byte[] {0x45, 0},
            PacketRecords.bytes(PacketRecords.ipv4(A, B, 47, 0, 30))
        };
        int[] types = {0x800, 0x800, 0x86dd, 0x800, 0x806, 0x88cc, 0x800, 0x800};
        for (int i = 0; i < packets.length; i++) {
            records.packet(EventType.NETIF_RECEIVE_SKB, i, 0, i, 2, types[i], packets[i]);
        }
        dump();
        List<String> said = new ArrayList<>();
        for (int i = 0; i < lines.size(); i += 2) {
            said.add(lines.get(i).replaceFirst("^.* eth0 In ", ""));
        }
        assertThat(said)
                .containsExactly(
                        "IP 10.0.0.1.80 > 10.0.0.2.9: Flags [FP.], length 11",
                        "IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 3, seq 4, length 64",
                        "IP6 fd00::1 > fd00::: ICMP6, type 135 code 0, length 24",
                        "IP 10.0.0.1 > 10.0.0.2: UDP, length 30, further fragment",
                        "ARP, Reply 10.0.0.1 is-at 00:00:00:00:00:00, length 28",
                        "lldp, length 3",
                        "IP cut off, length 2",
                        "IP 10.0.0.1 > 10.0.0.2: gre, length 30");
    }

    @Test
    void shouldShowNumbersWhenNoWordsAreWanted() throws Exception {
        words = Words.none();
        records.packet(
                        EventType.NETIF_RECEIVE_SKB,
                        1,
                        0,
                        1,
                        2,
                        Ethertype.IPV4,
                        PacketRecords.bytes(PacketRecords.ipv4(A, B, 47, 0, 30)))
                .packet(EventType.NETIF_RECEIVE_SKB, 2, 0, 2, 2, 0x88cc, new byte[] {1, 2, 3});
        dump();
        assertThat(lines.get(0)).endsWith(": protocol 47, length 30");
        assertThat(lines.get(2)).endsWith("ethertype 0x88cc, length 3");
    }

    @Test
    void shouldWriteAFile() throws Exception {
        send(1_000, 9);
        records.answer(1_900, 9, 2, HERE)
                .packet(EventType.NETIF_RECEIVE_SKB, 2_000, 0, 10, 1, Ethertype.IPV4, DATAGRAM);
        PcapngWriter writer = new PcapngWriter(Channels.newChannel(bytes));
        writer.section("cpu", "Linux", "test");
        PacketDump dump = PacketDump.toFile(
                scene(), DumpPlan.of("udp", OptionalInt.empty(), true), new PacketDump.Extent(30, 9, false), writer);
        records.handTo(dump);
        dump.releaseAll();
        dump.finish(1_790_000_000_000_000_000L, 1_790_000_001_000_000_000L, 6);
        PcapngFile file = new PcapngFile(bytes.toByteArray());

        assertThat(file.interfaces).extracting(PcapngFile.Interface::name).containsExactly("eth0", "lo");
        assertThat(file.interfaces).extracting(PcapngFile.Interface::linkType).containsOnly(276);
        PcapngFile.Packet out = file.packets.get(0);
        assertThat(out.timeNs()).isEqualTo(1_790_000_000_000_001_500L);
        assertThat(out.length()).isEqualTo(20 + DATAGRAM.length);
        assertThat(out.flags()).isEqualTo(2);
        ByteBuffer sent = ByteBuffer.wrap(out.bytes());
        assertThat(sent.remaining()).isEqualTo(20 + 30);
        assertThat(sent.getShort(0)).isEqualTo((short) 0x800);
        assertThat(sent.getInt(4)).isEqualTo(2);
        assertThat(sent.getShort(8)).as("ARPHRD_ETHER").isEqualTo((short) 1);
        assertThat(sent.get(10)).as("from us").isEqualTo((byte) 4);
        assertThat(sent.slice(20, 30)).isEqualTo(ByteBuffer.wrap(DATAGRAM, 0, 30));
        assertThat(out.comment()).startsWith("tsc=1500 cpu=0 thread=419(python3): inet_sendmsg +0");
        PcapngFile.Packet in = file.packets.get(1);
        assertThat(in.flags()).isEqualTo(1);
        assertThat(ByteBuffer.wrap(in.bytes()).getShort(8))
                .as("ARPHRD_LOOPBACK")
                .isEqualTo((short) 772);
        assertThat(in.bytes()[10]).as("to us").isZero();
        assertThat(in.id()).isNotEqualTo(out.id());
        assertThat(file.statistics).hasSize(2);
        assertThat(PcapngFile.number(file.statistics.get(0).options().get(7))).isEqualTo(6);
        assertThat(PcapngFile.number(file.statistics.get(1).options().get(8))).isEqualTo(1);
    }

    @Test
    void shouldWriteAFileThatCanBeReadWithoutAnyPacket() throws Exception {
        PcapngWriter writer = new PcapngWriter(Channels.newChannel(bytes));
        writer.section("", "", "");
        PacketDump.toFile(
                        scene(),
                        DumpPlan.of("", OptionalInt.empty(), true),
                        new PacketDump.Extent(30, 9, false),
                        writer)
                .finish(1, 2, 0);
        PcapngFile file = new PcapngFile(bytes.toByteArray());
        assertThat(file.interfaces).extracting(PcapngFile.Interface::name).containsExactly("any");
        assertThat(file.statistics).hasSize(1);
    }
}
