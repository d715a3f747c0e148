// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import magnet.os.Errno;
import magnet.record.Counter;
import magnet.record.RecordLayout;
import org.junit.jupiter.api.Test;

final class MagnetControlTest {
    private final FakeKernel kernel = FakeKernel.withModule();

    private static ReplyWriter part(int sequence, Command command) {
        return new ReplyWriter().message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, command.id());
    }

    private static ByteBuffer done(int sequence) {
        return new ReplyWriter().done(sequence, 0, 0).datagram();
    }

    @Test
    void shouldTellWhatTheModuleIs() throws IOException {
        try (MagnetControl control = MagnetControl.open(kernel)) {
            ModuleInfo info = control.info();
            assertThat(info)
                    .isEqualTo(new ModuleInfo(
                            1,
                            "0.1.0",
                            RecordLayout.WIDE,
                            ClockSource.TSC,
                            2_500_000,
                            5_000,
                            1_790_000_000_000_000_000L,
                            2_000,
                            3,
                            false,
                            false,
                            false,
                            false));
            assertThat(info.clockModel().monotonicNs(5_005)).isEqualTo(2_002);
            assertThat(control.portId()).isEqualTo(0xffff_fffeL);
        }
        assertThat(kernel.isClosed()).isTrue();
    }

    @Test
    void shouldSayThatTheModuleIsNotLoaded() {
        FakeKernel without = new FakeKernel();
        without.onController(sequence -> List.of(
                new ReplyWriter().error(sequence, Errno.ENOENT.number(), "").datagram()));
        assertThatThrownBy(() -> MagnetControl.open(without))
                .isInstanceOf(ModuleNotLoadedException.class)
                .hasMessage(
                        "the kernel module is not loaded; load it with magnet load or modprobe magnet, or insmod magnet.ko where it was"
                                + " built");
        assertThat(without.isClosed()).isTrue();
    }

    @Test
    void shouldRefuseAModuleOfAnotherAbi() {
        FakeKernel newer = new FakeKernel();
        newer.onController(sequence -> List.of(
                new ReplyWriter()
                        .message(Netlink.CONTROLLER, 0, sequence, 1)
                        .u16(Netlink.FAMILY_ID, FakeKernel.FAMILY_ID)
                        .datagram(),
                FakeKernel.acknowledgement(sequence)));
        newer.on(Command.INFO_GET, sequence -> List.of(FakeKernel.info(sequence, 2)));
        assertThatThrownBy(() -> MagnetControl.open(newer))
                .hasMessageContaining("version 2 of the ABI, this program version 1");
        assertThat(newer.isClosed()).isTrue();
    }

    @Test
    void shouldShutDownAModuleOfAnotherAbi() throws IOException {
        try (MagnetControl control = MagnetControl.openOfAnyAbi(kernel)) {
            kernel.on(Command.INFO_GET, sequence -> List.of(FakeKernel.info(sequence, 2)));
            kernel.on(Command.SHUTDOWN, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
            control.shutdown();
        }
        assertThat(kernel.isClosed()).isTrue();
    }

    @Test
    void shouldListPoints() throws IOException {
        kernel.on(
                Command.POINT_GET,
                sequence -> List.of(
                        part(sequence, Command.POINT_GET)
                                .string(AttributeId.POINT, "udp_sendmsg")
                                .u16(AttributeId.EVENT, 0x10)
                                .string(AttributeId.SUBSYSTEM, "net")
                                .u32(AttributeId.MECHANISM, 1)
                                .u32(AttributeId.HOOK, 2)
                                .u32(AttributeId.SUB_COUNT, 2)
                                .u32(AttributeId.ENABLED, 1)
                                .u32(AttributeId.STORM_RATE, 1_000)
                                .u32(AttributeId.STORM_BURST, 100)
                                .begin(AttributeId.FN)
                                .string(AttributeId.FN_FAMILY, "ipv4")
                                .string(AttributeId.FN_NAME, "udp_sendmsg")
                                .u32(AttributeId.FN_STATE, 2)
                                .string(AttributeId.FN_TRIED, "udp_sendmsg")
                                .end()
                                .begin(AttributeId.FN)
                                .string(AttributeId.FN_FAMILY, "ipv6")
                                .string(AttributeId.FN_NAME, "")
                                .u32(AttributeId.FN_STATE, 0)
                                .string(AttributeId.FN_TRIED, "first,second")
                                .end()
                                .message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, 2)
                                .string(AttributeId.POINT, "from_the_future")
                                .u16(AttributeId.EVENT, 0xffff)
                                .string(AttributeId.SUBSYSTEM, "new")
                                .u32(AttributeId.MECHANISM, 99)
                                .u32(AttributeId.HOOK, 98)
                                .u32(AttributeId.SUB_COUNT, 0)
                                .u32(AttributeId.ENABLED, 0)
                                .u32(AttributeId.STORM_RATE, 0)
                                .u32(AttributeId.STORM_BURST, 100)
                                .u64(200, 1)
                                .datagram(),
                        done(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            List<PointInfo> points = control.points();

            assertThat(points)
                    .containsExactly(
                            new PointInfo(
                                    "udp_sendmsg",
                                    0x10,
                                    "net",
                                    Mechanism.FTRACE,
                                    Hook.FTRACE,
                                    List.of(
                                            new PointFunction(
                                                    "ipv4",
                                                    "udp_sendmsg",
                                                    PointFunction.State.ACTIVE,
                                                    List.of("udp_sendmsg")),
                                            new PointFunction(
                                                    "ipv6",
                                                    "",
                                                    PointFunction.State.UNRESOLVED,
                                                    List.of("first", "second"))),
                                    2,
                                    true,
                                    Optional.of(new StormGuard(1_000, 100))),
                            new PointInfo(
                                    "from_the_future",
                                    0xffff,
                                    "new",
                                    Mechanism.UNKNOWN,
                                    Hook.UNKNOWN,
                                    List.of(),
                                    0,
                                    false,
                                    Optional.empty()));
            assertThat(points.get(0).isActive()).isTrue();
            assertThat(points.get(0).isAvailable()).isTrue();
            assertThat(points.get(0).isComplete()).isFalse();
        }
    }

    @Test
    void shouldPutABuffersMessagesTogether() throws IOException {
        kernel.on(
                Command.BUFFER_GET,
                sequence -> List.of(
                        buffer(sequence, "main", 0),
                        buffer(sequence, "main", 1),
                        buffer(sequence, "other", 0),
                        done(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            List<BufferInfo> buffers = control.buffers();
            assertThat(buffers).hasSize(2);
            assertThat(buffers.get(0).name()).isEqualTo("main");
            assertThat(buffers.get(0).size()).isEqualTo(262_144);
            assertThat(buffers.get(0).owner()).isEqualTo(OptionalLong.of(4_000_000_000L));
            assertThat(buffers.get(0).rings())
                    .containsExactly(
                            new RingCounts(0, 10, 9, 400, 360, 3, 2, 7), new RingCounts(1, 10, 9, 400, 360, 3, 2, 7));
            assertThat(buffers.get(0).lost()).isEqualTo(6);
            assertThat(buffers.get(0).mergedLate()).isEqualTo(8);
            assertThat(buffers.get(0).flightRecorder()).isTrue();
            assertThat(buffers.get(0).persistent()).isFalse();
        }
    }

    private static ByteBuffer buffer(int sequence, String name, int cpu) {
        return part(sequence, Command.BUFFER_GET)
                .string(AttributeId.BUFFER, name)
                .u64(AttributeId.BUFFER_SIZE, 262_144)
                .u32(AttributeId.FLAGS, 4)
                .u32(AttributeId.SUB_COUNT, 1)
                .u64(AttributeId.MERGED_LATE, 8)
                .u32(AttributeId.OWNER, 4_000_000_000L)
                .begin(AttributeId.CPU_STATS)
                .u32(AttributeId.CPU, cpu)
                .u64(AttributeId.RECORDS_WRITTEN, 10)
                .u64(AttributeId.RECORDS_READ, 9)
                .u64(AttributeId.BYTES_WRITTEN, 400)
                .u64(AttributeId.BYTES_READ, 360)
                .u64(AttributeId.LOST, 3)
                .u64(AttributeId.LOST_REPORTED, 2)
                .u64(AttributeId.OVERWRITTEN, 7)
                .end()
                .datagram();
    }

    private static ReplyWriter subscription(ReplyWriter writer, int id, int flags, int... cpus) {
        writer.u32(AttributeId.SUB_ID, id)
                .string(AttributeId.POINT, "sched_switch")
                .u16(AttributeId.EVENT, 0x110)
                .string(AttributeId.BUFFER, "main")
                .u32(AttributeId.FLAGS, flags)
                .u32(AttributeId.SAMPLE_COUNT, 10)
                .u32(AttributeId.SAMPLE_INTERVAL_US, 3_600_000_000L)
                .u32(AttributeId.SNAP_LEN, 64)
                .u32(AttributeId.COUNTERS, 0x42);
        for (int cpu : cpus) {
            writer.begin(AttributeId.CPU_STATS)
                    .u32(AttributeId.CPU, cpu)
                    .u64(AttributeId.HITS, 22)
                    .u64(AttributeId.COMMITTED, 11)
                    .u64(AttributeId.FILTERED, 4)
                    .u64(AttributeId.SAMPLED_OUT, 3)
                    .u64(AttributeId.DROPPED_FULL, 1)
                    .u64(AttributeId.DROPPED_BIG, 1)
                    .u64(AttributeId.DROPPED_RECURSION, 1)
                    .u64(AttributeId.DROPPED_STORM, 1)
                    .u64(AttributeId.MISSED, 5)
                    .end();
        }
        return writer;
    }

    @Test
    void shouldListSubscriptionsWithTheirLossEquation() throws IOException {
        kernel.on(
                Command.SUB_GET,
                sequence -> List.of(
                        subscription(part(sequence, Command.SUB_GET), 7, 3, 0, 1)
                                .datagram(),
                        subscription(part(sequence, Command.SUB_GET), 7, 3, 2).datagram(),
                        subscription(part(sequence, Command.SUB_GET), 8, 0).datagram(),
                        done(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            List<SubscriptionInfo> subscriptions = control.subscriptions();
            assertThat(subscriptions).extracting(SubscriptionInfo::id).containsExactly(7L, 8L);
            SubscriptionInfo first = subscriptions.get(0);
            assertThat(first.persistent()).isTrue();
            assertThat(first.urgent()).isTrue();
            assertThat(first.owner()).isEmpty();
            assertThat(first.sampleCount()).isEqualTo(10);
            assertThat(first.sampleIntervalUs()).isEqualTo(3_600_000_000L);
            assertThat(first.snapBytes()).isEqualTo(64);
            assertThat(first.counters()).containsExactlyInAnyOrder(Counter.INSTRUCTIONS, Counter.CPU_CLOCK);
            assertThat(first.counts()).extracting(HitCounts::cpu).containsExactly(0, 1, 2);
            assertThat(first.total()).isEqualTo(new HitCounts(HitCounts.ALL_CPUS, 66, 33, 12, 9, 3, 3, 3, 3, 15));
            assertThat(first.total().balances()).isTrue();
            assertThat(first.total().dropped()).isEqualTo(12);
            assertThat(new HitCounts(0, 2, 1, 0, 0, 0, 0, 0, 0, 0).balances()).isFalse();
        }
    }

    @Test
    void shouldSendWhatMakesABufferAndASubscription() throws IOException {
        kernel.on(
                Command.BUFFER_NEW,
                sequence -> List.of(buffer(sequence, "mine", 0), FakeKernel.acknowledgement(sequence)));
        kernel.on(
                Command.SUB_NEW,
                sequence -> List.of(
                        subscription(part(sequence, Command.SUB_NEW), 7, 2).datagram(),
                        FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.createBuffer("mine", 1 << 20, EnumSet.of(Flag.PERSISTENT))
                            .name())
                    .isEqualTo("mine");
            assertThat(control.subscribe("sched_switch", "mine", EnumSet.of(Flag.URGENT))
                            .id())
                    .isEqualTo(7);
        }
        Message create = kernel.requests().get(0);
        assertThat(create.command()).isEqualTo(Command.BUFFER_NEW.id());
        assertThat(create.flags()).isEqualTo(Netlink.FLAG_REQUEST | Netlink.FLAG_ACK);
        assertThat(create.attributes().string(AttributeId.BUFFER)).isEqualTo("mine");
        assertThat(create.attributes().u64(AttributeId.BUFFER_SIZE)).isEqualTo(1 << 20);
        assertThat(create.attributes().u32(AttributeId.FLAGS)).isEqualTo(1);
        Message subscribe = kernel.requests().get(1);
        assertThat(subscribe.sequence()).isEqualTo(create.sequence() + 1);
        assertThat(subscribe.attributes().string(AttributeId.POINT)).isEqualTo("sched_switch");
        assertThat(subscribe.attributes().string(AttributeId.BUFFER)).isEqualTo("mine");
        assertThat(subscribe.attributes().u32(AttributeId.FLAGS)).isEqualTo(2);
    }

    @Test
    void shouldInsertAndRemovePoints() throws IOException {
        kernel.on(
                Command.POINT_INSERT,
                sequence -> List.of(
                        part(sequence, Command.POINT_INSERT)
                                .string(AttributeId.POINT, "p_vfs_read")
                                .u16(AttributeId.EVENT, 0x400)
                                .string(AttributeId.SUBSYSTEM, "dynamic")
                                .u32(AttributeId.MECHANISM, 2)
                                .u32(AttributeId.HOOK, 0)
                                .u32(AttributeId.SUB_COUNT, 0)
                                .u32(AttributeId.ENABLED, 1)
                                .datagram(),
                        FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.POINT_REMOVE, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.insertPoint("p:vfs_read $arg3", EnumSet.of(Flag.PERSISTENT)))
                    .isEqualTo(new PointInfo(
                            "p_vfs_read",
                            0x400,
                            "dynamic",
                            Mechanism.KPROBE,
                            Hook.NONE,
                            List.of(),
                            0,
                            true,
                            Optional.empty()));
            control.removePoint("p_vfs_read");
        }
        Attributes insert = kernel.requests().get(0).attributes();
        assertThat(insert.string(AttributeId.DEFINITION)).isEqualTo("p:vfs_read $arg3");
        assertThat(insert.u32(AttributeId.FLAGS)).isEqualTo(1);
        assertThat(kernel.requests().get(1).attributes().string(AttributeId.POINT))
                .isEqualTo("p_vfs_read");
    }

    @Test
    void shouldSendWhatEndsThem() throws IOException {
        kernel.on(
                Command.SUB_DEL,
                sequence -> List.of(
                        subscription(part(sequence, Command.SUB_DEL), 7, 0, 0).datagram(),
                        FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.BUFFER_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.SHUTDOWN, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.unsubscribe(7).total().hits()).isEqualTo(22);
            control.removeBuffer("mine");
            control.shutdown();
        }
        assertThat(kernel.requests().get(0).attributes().u32(AttributeId.SUB_ID))
                .isEqualTo(7);
        assertThat(kernel.requests().get(1).attributes().string(AttributeId.BUFFER))
                .isEqualTo("mine");
        assertThat(kernel.requests().get(2).command()).isEqualTo(Command.SHUTDOWN.id());
    }

    @Test
    void shouldSayWhatTheKernelSays() throws IOException {
        kernel.on(
                Command.SUB_NEW,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.ENOENT.number(), "there is no point of this name")
                        .datagram()));
        kernel.on(
                Command.BUFFER_NEW,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.EPERM.number(), "")
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(() -> control.subscribe("nothing", "mine", Set.of()))
                    .isInstanceOfSatisfying(ControlException.class, e -> {
                        assertThat(e.errno()).isEqualTo(Errno.ENOENT);
                        assertThat(e.kernelText()).contains("there is no point of this name");
                    })
                    .hasMessage("subscribe to nothing: there is no point of this name (ENOENT)");
            assertThatThrownBy(() -> control.createBuffer("mine", 1, Set.of()))
                    .isInstanceOfSatisfying(
                            ControlException.class,
                            e -> assertThat(e.kernelText()).isEmpty())
                    .hasMessage("create buffer mine: Operation not permitted (EPERM)");
        }
    }

    @Test
    void shouldAskAgainWhenADumpWasInterrupted() throws IOException {
        kernel.on(
                Command.BUFFER_GET,
                sequence -> List.of(
                        buffer(sequence, "old", 0),
                        new ReplyWriter()
                                .done(sequence, Netlink.FLAG_DUMP_INTERRUPTED, 0)
                                .datagram()));
        kernel.on(Command.BUFFER_GET, sequence -> List.of(buffer(sequence, "new", 0), done(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.buffers()).extracting(BufferInfo::name).containsExactly("new");
        }
    }

    @Test
    void shouldGiveUpWhenEveryDumpIsInterrupted() throws IOException {
        kernel.on(
                Command.BUFFER_GET,
                sequence -> List.of(new ReplyWriter()
                        .done(sequence, Netlink.FLAG_DUMP_INTERRUPTED, 0)
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(control::buffers).hasMessageStartingWith("list the buffers: it was changed");
        }
    }

    @Test
    void shouldReportTheErrorThatEndsADump() throws IOException {
        kernel.on(
                Command.BUFFER_GET,
                sequence -> List.of(new ReplyWriter().done(sequence, 0, 12).datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(control::buffers).hasMessage("list the buffers: Cannot allocate memory (ENOMEM)");
        }
    }

    @Test
    void shouldIgnoreWhatAnswersAnotherRequest() throws IOException {
        kernel.on(
                Command.SHUTDOWN,
                sequence -> List.of(
                        new ReplyWriter().error(sequence - 1, 22, "stale").datagram(),
                        FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            control.shutdown();
        }
        assertThat(kernel.requests()).hasSize(1);
    }

    /** A machine with many CPUs: their counters do not fit into one message. */
    @Test
    void shouldPutFinalCountersOfManyCpusTogether() throws IOException {
        kernel.on(
                Command.SUB_DEL,
                sequence -> List.of(
                        subscription(part(sequence, Command.SUB_DEL), 7, 0, 0).datagram(),
                        subscription(part(sequence, Command.SUB_DEL), 7, 0, 0).datagram(),
                        FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.unsubscribe(7).total().hits()).isEqualTo(44);
        }
    }

    @Test
    void shouldComplainWhenAnAnswerIsMissing() throws IOException {
        kernel.on(Command.SUB_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(() -> control.unsubscribe(1)).isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void shouldRefuseANameThatNoNameIs() throws IOException {
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(() -> control.removeBuffer("x".repeat(5_000))).hasMessageContaining("too long");
        }
    }

    @Test
    void shouldListenToNotices() throws IOException {
        try (NoticeListener listener = NoticeListener.open(kernel)) {
            assertThat(kernel.groups()).containsExactly(FakeKernel.GROUP_ID);
            assertThat(listener.next(0)).isEmpty();
            kernel.push(new ReplyWriter()
                    .message(FakeKernel.FAMILY_ID, 0, 0, Command.LOSS_NTF.id())
                    .string(AttributeId.BUFFER, "main")
                    .u64(AttributeId.LOST, 1_234)
                    .message(FakeKernel.FAMILY_ID, 0, 0, 99)
                    .message(FakeKernel.FAMILY_ID, 0, 0, Command.URGENT_NTF.id())
                    .string(AttributeId.POINT, "marker")
                    .u16(AttributeId.EVENT, 0x3c0)
                    .string(AttributeId.BUFFER, "main")
                    .u32(AttributeId.SUB_ID, 7)
                    .u64(AttributeId.URGENT, 12)
                    .datagram());
            assertThat(listener.next(0))
                    .containsExactly(new LossNotice("main", 1_234), new UrgentNotice("marker", 0x3c0, "main", 7, 12));
        }
    }

    @Test
    void shouldNameTheReasonsOfDrops() throws IOException {
        kernel.on(
                Command.DROP_REASON_GET,
                sequence -> List.of(
                        part(sequence, Command.DROP_REASON_GET)
                                .u32(AttributeId.DROP_REASON, 3)
                                .string(AttributeId.DROP_REASON_NAME, "NO_SOCKET")
                                .datagram(),
                        part(sequence, Command.DROP_REASON_GET)
                                .u32(AttributeId.DROP_REASON, 0x10001)
                                .string(AttributeId.DROP_REASON_NAME, "FROM_THE_FUTURE")
                                .datagram(),
                        done(sequence)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.dropReasons()).isEqualTo(Map.of(3, "NO_SOCKET", 0x10001, "FROM_THE_FUTURE"));
        }
    }

    /** What the kernel answers to a command that a family does not have. */
    @Test
    void shouldKnowNoReasonsWhenTheModuleDoesNotSay() throws IOException {
        kernel.on(
                Command.DROP_REASON_GET,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.EOPNOTSUPP.number(), "")
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.dropReasons()).isEmpty();
        }
    }

    @Test
    void shouldNotTakeAnotherRefusalForThat() throws IOException {
        kernel.on(
                Command.DROP_REASON_GET,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.ENOMEM.number(), "")
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(control::dropReasons)
                    .isInstanceOf(ControlException.class)
                    .hasMessageStartingWith("list the reasons of drops: ");
        }
    }
}
