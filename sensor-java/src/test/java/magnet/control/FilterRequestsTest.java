// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import magnet.os.Errno;
import magnet.record.Counter;
import org.junit.jupiter.api.Test;

/** Requests about what is logged and where it goes. */
final class FilterRequestsTest {
    private final FakeKernel kernel = FakeKernel.withModule();

    private static ReplyWriter part(int sequence, Command command) {
        return new ReplyWriter().message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, command.id());
    }

    private void answer(Command command, FakeKernel.Answer answer) {
        kernel.on(command, sequence -> List.of(answer.to(sequence).get(0), FakeKernel.acknowledgement(sequence)));
    }

    private Attributes request(int index) throws IOException {
        return kernel.requests().get(index).attributes();
    }

    private static ByteBuffer subscription(int sequence, Command command) {
        return part(sequence, command)
                .u32(AttributeId.SUB_ID, 7)
                .string(AttributeId.POINT, "marker")
                .u16(AttributeId.EVENT, 0x3c0)
                .string(AttributeId.BUFFER, "main")
                .u32(AttributeId.FLAGS, 0)
                .u32(AttributeId.SAMPLE_COUNT, 10)
                .u32(AttributeId.SAMPLE_INTERVAL_US, 20)
                .u32(AttributeId.SNAP_LEN, 30)
                .datagram();
    }

    private static ReplyWriter rule(ReplyWriter writer, int id, String text, long matched) {
        return writer.begin(AttributeId.RULE)
                .u32(AttributeId.RULE_ID, id)
                .string(AttributeId.RULE_TEXT, text)
                .u64(AttributeId.MATCHED, matched)
                .end();
    }

    @Test
    void shouldSubscribeToWhatIsSelected() throws IOException {
        answer(Command.SUB_NEW, sequence -> List.of(subscription(sequence, Command.SUB_NEW)));
        Selection selection = Selection.NONE
                .withRules("drop if id & 1; log")
                .withSampleCount(10)
                .withSampleIntervalUs(3_600_000_000L)
                .withSnapBytes(64)
                .withCounters(EnumSet.of(Counter.CYCLES, Counter.CPU_CLOCK));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            SubscriptionInfo made = control.subscribe("marker", "main", EnumSet.of(Flag.URGENT), selection);

            assertThat(made.sampleCount()).isEqualTo(10);
            assertThat(made.sampleIntervalUs()).isEqualTo(20);
            assertThat(made.snapBytes()).isEqualTo(30);
            assertThat(made.counters()).isEmpty();
        }
        assertThat(request(0).string(AttributeId.RULES)).isEqualTo("drop if id & 1; log");
        assertThat(request(0).u32(AttributeId.SAMPLE_COUNT)).isEqualTo(10);
        assertThat(request(0).u32(AttributeId.SAMPLE_INTERVAL_US)).isEqualTo(3_600_000_000L);
        assertThat(request(0).u32(AttributeId.SNAP_LEN)).isEqualTo(64);
        assertThat(request(0).u32(AttributeId.COUNTERS)).isEqualTo(0x41);
        assertThat(request(0).u32(AttributeId.FLAGS)).isEqualTo(2);
    }

    @Test
    void shouldChangeOnlyWhatIsNamed() throws IOException {
        answer(Command.SUB_SET, sequence -> List.of(subscription(sequence, Command.SUB_SET)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.changeSubscription(7, Selection.NONE.withRules(""))
                            .id())
                    .isEqualTo(7);
        }
        assertThat(request(0).u32(AttributeId.SUB_ID)).isEqualTo(7);
        assertThat(request(0).string(AttributeId.RULES)).isEmpty();
        assertThat(request(0).has(AttributeId.SAMPLE_COUNT)).isFalse();
        assertThat(request(0).has(AttributeId.SAMPLE_INTERVAL_US)).isFalse();
        assertThat(request(0).has(AttributeId.SNAP_LEN)).isFalse();
        assertThat(request(0).has(AttributeId.COUNTERS)).isFalse();
    }

    @Test
    void shouldSendTheLongestChainThatThereCanBe() throws IOException {
        answer(Command.SUB_SET, sequence -> List.of(subscription(sequence, Command.SUB_SET)));
        String longest = "x".repeat(4_095);
        try (MagnetControl control = MagnetControl.open(kernel)) {
            control.changeSubscription(7, Selection.NONE.withRules(longest));
            assertThatThrownBy(() -> control.changeSubscription(7, Selection.NONE.withRules(longest + "x")))
                    .hasMessageContaining("too long");
        }
        assertThat(request(0).string(AttributeId.RULES)).isEqualTo(longest);
    }

    @Test
    void shouldPutAChainsMessagesTogether() throws IOException {
        kernel.on(
                Command.RULE_GET,
                sequence -> List.of(
                        rule(chain(sequence, 7), 1, "drop if id & 1", 150).datagram(),
                        rule(rule(chain(sequence, 7), 3, "sample 2", 4), 2, "log", 5)
                                .datagram(),
                        chain(sequence, 8).datagram(),
                        new ReplyWriter().done(sequence, 0, 0).datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.chains())
                    .containsExactly(
                            new ChainInfo(
                                    7,
                                    "marker",
                                    "main",
                                    List.of(
                                            new RuleInfo(1, "drop if id & 1", 150),
                                            new RuleInfo(3, "sample 2", 4),
                                            new RuleInfo(2, "log", 5))),
                            new ChainInfo(8, "marker", "main", List.of()));
        }
    }

    private static ReplyWriter chain(int sequence, int subscription) {
        return part(sequence, Command.RULE_GET)
                .u32(AttributeId.SUB_ID, subscription)
                .string(AttributeId.POINT, "marker")
                .string(AttributeId.BUFFER, "main");
    }

    @Test
    void shouldPutRulesInAndTakeThemOut() throws IOException {
        answer(
                Command.RULE_NEW,
                sequence -> List.of(rule(part(sequence, Command.RULE_NEW).u32(AttributeId.SUB_ID, 7), 9, "log", 0)
                        .datagram()));
        answer(
                Command.RULE_DEL,
                sequence -> List.of(rule(part(sequence, Command.RULE_DEL).u32(AttributeId.SUB_ID, 7), 9, "log", 44)
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.addRule(7, "log", OptionalLong.of(3))).isEqualTo(new RuleInfo(9, "log", 0));
            assertThat(control.addRule(7, "log", OptionalLong.empty()).id()).isEqualTo(9);
            assertThat(control.deleteRule(7, 9)).isEqualTo(new RuleInfo(9, "log", 44));
        }
        assertThat(request(0).string(AttributeId.RULE_TEXT)).isEqualTo("log");
        assertThat(request(0).u32(AttributeId.RULE_BEFORE)).isEqualTo(3);
        assertThat(request(1).has(AttributeId.RULE_BEFORE)).isFalse();
        assertThat(request(2).u32(AttributeId.SUB_ID)).isEqualTo(7);
        assertThat(request(2).u32(AttributeId.RULE_ID)).isEqualTo(9);
    }

    @Test
    void shouldSayWhatIsWrongWithARule() throws IOException {
        kernel.on(
                Command.RULE_NEW,
                sequence -> List.of(new ReplyWriter()
                        .error(
                                sequence,
                                Errno.EINVAL.number(),
                                "a rule begins with log, drop, urgent, sample N or every TIME")
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(() -> control.addRule(7, "keep", OptionalLong.empty()))
                    .isInstanceOf(ControlException.class)
                    .hasMessage("add rule keep: a rule begins with log, drop, urgent, sample N or every TIME (EINVAL)");
        }
    }

    @Test
    void shouldComplainWhenAnAnswerHasNoRule() throws IOException {
        answer(
                Command.RULE_DEL,
                sequence -> List.of(part(sequence, Command.RULE_DEL)
                        .u32(AttributeId.SUB_ID, 7)
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThatThrownBy(() -> control.deleteRule(7, 9)).isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void shouldEnableAndGuardPoints() throws IOException {
        answer(
                Command.POINT_SET,
                sequence -> List.of(part(sequence, Command.POINT_SET)
                        .string(AttributeId.POINT, "marker")
                        .u16(AttributeId.EVENT, 0x3c0)
                        .string(AttributeId.SUBSYSTEM, "user")
                        .u32(AttributeId.MECHANISM, 4)
                        .u32(AttributeId.SUB_COUNT, 2)
                        .u32(AttributeId.HOOK, 0)
                        .u32(AttributeId.ENABLED, 0)
                        .u32(AttributeId.STORM_RATE, 50)
                        .u32(AttributeId.STORM_BURST, 5)
                        .datagram()));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            PointInfo point = control.enablePoint("marker", false);
            assertThat(point.enabled()).isFalse();
            assertThat(point.stormGuard()).contains(new StormGuard(50, 5));
            control.enablePoint("marker", true);
            control.guardPoint("marker", 50, OptionalLong.of(5));
            control.guardPoint("marker", 0, OptionalLong.empty());
        }
        assertThat(request(0).u32(AttributeId.ENABLED)).isZero();
        assertThat(request(0).has(AttributeId.STORM_RATE)).isFalse();
        assertThat(request(1).u32(AttributeId.ENABLED)).isOne();
        assertThat(request(2).u32(AttributeId.STORM_RATE)).isEqualTo(50);
        assertThat(request(2).u32(AttributeId.STORM_BURST)).isEqualTo(5);
        assertThat(request(2).has(AttributeId.ENABLED)).isFalse();
        assertThat(request(3).u32(AttributeId.STORM_RATE)).isZero();
        assertThat(request(3).has(AttributeId.STORM_BURST)).isFalse();
    }

    @Test
    void shouldResizeAndSnapshotBuffers() throws IOException {
        answer(Command.BUFFER_RESIZE, sequence -> List.of(buffer(sequence, Command.BUFFER_RESIZE)));
        answer(Command.BUFFER_SNAPSHOT, sequence -> List.of(buffer(sequence, Command.BUFFER_SNAPSHOT)));
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.resizeBuffer("main", 8 << 20).size()).isEqualTo(8 << 20);
            control.snapshotBuffer("main", "copy", Set.of(Flag.PERSISTENT));
        }
        assertThat(request(0).string(AttributeId.BUFFER)).isEqualTo("main");
        assertThat(request(0).u64(AttributeId.BUFFER_SIZE)).isEqualTo(8 << 20);
        assertThat(request(1).string(AttributeId.BUFFER)).isEqualTo("main");
        assertThat(request(1).string(AttributeId.SNAPSHOT)).isEqualTo("copy");
        assertThat(request(1).u32(AttributeId.FLAGS)).isEqualTo(1);
    }

    private static ByteBuffer buffer(int sequence, Command command) {
        return part(sequence, command)
                .string(AttributeId.BUFFER, "main")
                .u64(AttributeId.BUFFER_SIZE, 8 << 20)
                .u32(AttributeId.FLAGS, 1)
                .u32(AttributeId.SUB_COUNT, 0)
                .datagram();
    }

    @Test
    void shouldMakeListAndRemoveCorrelatingFilters() throws IOException {
        answer(Command.CORRELATION_NEW, sequence -> List.of(correlation(sequence, Command.CORRELATION_NEW)));
        kernel.on(
                Command.CORRELATION_GET,
                sequence -> List.of(
                        correlation(sequence, Command.CORRELATION_GET),
                        new ReplyWriter().done(sequence, 0, 0).datagram()));
        kernel.on(Command.CORRELATION_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        CorrelationInfo expected =
                new CorrelationInfo(3, "a then b", "found", false, OptionalLong.of(4_242), 10, 20, 30, 4);
        try (MagnetControl control = MagnetControl.open(kernel)) {
            assertThat(control.correlate("a then b", "found", Set.of())).isEqualTo(expected);
            assertThat(control.correlations()).containsExactly(expected);
            control.deleteCorrelation(3);
        }
        assertThat(request(0).string(AttributeId.DEFINITION)).isEqualTo("a then b");
        assertThat(request(0).string(AttributeId.BUFFER)).isEqualTo("found");
        assertThat(request(2).u32(AttributeId.CORRELATION_ID)).isEqualTo(3);
    }

    private static ByteBuffer correlation(int sequence, Command command) {
        return part(sequence, command)
                .u32(AttributeId.CORRELATION_ID, 3)
                .string(AttributeId.DEFINITION, "a then b")
                .string(AttributeId.BUFFER, "found")
                .u32(AttributeId.FLAGS, 0)
                .u32(AttributeId.OWNER, 4_242)
                .u64(AttributeId.MATCHED, 10)
                .u64(AttributeId.LOST_BEFORE, 20)
                .u64(AttributeId.FORGOTTEN, 30)
                .u64(AttributeId.DROPPED, 4)
                .datagram();
    }
}
