// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.record.Counter;
import magnet.record.RecordLayout;

/** Turns the attributes of the module's answers into values. Pure. */
final class Answers {
    private Answers() {}

    static ModuleInfo moduleInfo(Attributes a) throws IOException {
        int abiVersion = a.s32(AttributeId.ABI_VERSION);
        if (abiVersion != MagnetControl.ABI_VERSION) {
            throw new IOException("the kernel module speaks version " + abiVersion
                    + " of the ABI, this program version " + MagnetControl.ABI_VERSION
                    + "; install the same release of both");
        }
        return new ModuleInfo(
                abiVersion,
                a.string(AttributeId.MODULE_VERSION),
                layout(a.s32(AttributeId.LAYOUT)),
                ClockSource.of(a.u32(AttributeId.CLOCK)),
                a.u32(AttributeId.CLOCK_KHZ),
                a.u64(AttributeId.CLOCK_TIMER),
                a.u64(AttributeId.CLOCK_REALTIME_NS),
                a.u64(AttributeId.CLOCK_MONOTONIC_NS),
                a.s32(AttributeId.CLOCK_EPOCH),
                (a.u32(AttributeId.CLOCK_FLAGS) & ModuleInfo.CLOCK_UNSTABLE) != 0,
                a.u32(AttributeId.FTRACE_DISABLED) != 0,
                a.u32(AttributeId.DYNAMIC_DISABLED) != 0,
                a.u32(AttributeId.KPROBES_DISABLED) != 0);
    }

    private static RecordLayout layout(int value) throws MalformedMessageException {
        try {
            return RecordLayout.ofAbiValue(value);
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException("unknown record layout " + value);
        }
    }

    static PointInfo point(Attributes a) throws MalformedMessageException {
        List<PointFunction> functions = new ArrayList<>();
        for (Attributes f : a.nests(AttributeId.FN)) {
            functions.add(new PointFunction(
                    f.string(AttributeId.FN_FAMILY),
                    f.string(AttributeId.FN_NAME),
                    PointFunction.State.of(f.u32(AttributeId.FN_STATE)),
                    List.of(f.string(AttributeId.FN_TRIED).split(",", -1))));
        }
        return new PointInfo(
                a.string(AttributeId.POINT),
                a.u16(AttributeId.EVENT),
                a.string(AttributeId.SUBSYSTEM),
                Mechanism.of(a.u32(AttributeId.MECHANISM)),
                Hook.of(a.u32(AttributeId.HOOK)),
                functions,
                a.s32(AttributeId.SUB_COUNT),
                a.u32(AttributeId.ENABLED) != 0,
                stormGuard(a));
    }

    private static Optional<StormGuard> stormGuard(Attributes a) throws MalformedMessageException {
        long rate = a.u32OrZero(AttributeId.STORM_RATE);
        return rate == 0 ? Optional.empty() : Optional.of(new StormGuard(rate, a.u32(AttributeId.STORM_BURST)));
    }

    static BufferInfo buffer(Attributes a) throws MalformedMessageException {
        List<RingCounts> rings = new ArrayList<>();
        for (Attributes ring : a.nests(AttributeId.CPU_STATS)) {
            rings.add(new RingCounts(
                    ring.s32(AttributeId.CPU),
                    ring.u64(AttributeId.RECORDS_WRITTEN),
                    ring.u64(AttributeId.RECORDS_READ),
                    ring.u64(AttributeId.BYTES_WRITTEN),
                    ring.u64(AttributeId.BYTES_READ),
                    ring.u64(AttributeId.LOST),
                    ring.u64(AttributeId.LOST_REPORTED),
                    ring.u64OrZero(AttributeId.OVERWRITTEN)));
        }
        long flags = a.u32(AttributeId.FLAGS);
        return new BufferInfo(
                a.string(AttributeId.BUFFER),
                a.u64(AttributeId.BUFFER_SIZE),
                Flag.PERSISTENT.in(flags),
                Flag.OVERWRITE.in(flags),
                a.optionalU32(AttributeId.OWNER),
                a.s32(AttributeId.SUB_COUNT),
                a.u64OrZero(AttributeId.MERGED_LATE),
                rings);
    }

    static SubscriptionInfo subscription(Attributes a) throws MalformedMessageException {
        List<HitCounts> counts = new ArrayList<>();
        for (Attributes cpu : a.nests(AttributeId.CPU_STATS)) {
            counts.add(new HitCounts(
                    cpu.s32(AttributeId.CPU),
                    cpu.u64(AttributeId.HITS),
                    cpu.u64(AttributeId.COMMITTED),
                    cpu.u64(AttributeId.FILTERED),
                    cpu.u64(AttributeId.SAMPLED_OUT),
                    cpu.u64(AttributeId.DROPPED_FULL),
                    cpu.u64(AttributeId.DROPPED_BIG),
                    cpu.u64(AttributeId.DROPPED_RECURSION),
                    cpu.u64(AttributeId.DROPPED_STORM),
                    cpu.u64(AttributeId.MISSED)));
        }
        long flags = a.u32(AttributeId.FLAGS);
        return new SubscriptionInfo(
                a.u32(AttributeId.SUB_ID),
                a.string(AttributeId.POINT),
                a.u16(AttributeId.EVENT),
                a.string(AttributeId.BUFFER),
                Flag.PERSISTENT.in(flags),
                Flag.URGENT.in(flags),
                a.optionalU32(AttributeId.OWNER),
                a.u32(AttributeId.SAMPLE_COUNT),
                a.u32(AttributeId.SAMPLE_INTERVAL_US),
                a.u32(AttributeId.SNAP_LEN),
                Counter.ofBits(a.u32OrZero(AttributeId.COUNTERS)),
                counts);
    }

    static ChainInfo chain(Attributes a) throws MalformedMessageException {
        return new ChainInfo(
                a.u32(AttributeId.SUB_ID), a.string(AttributeId.POINT), a.string(AttributeId.BUFFER), rules(a));
    }

    /** The rule of an answer that has one. */
    static RuleInfo rule(Attributes a) throws MalformedMessageException {
        List<RuleInfo> rules = rules(a);
        if (rules.size() != 1) {
            throw new MalformedMessageException(rules.size() + " rules where one was due");
        }
        return rules.get(0);
    }

    private static List<RuleInfo> rules(Attributes a) throws MalformedMessageException {
        List<RuleInfo> rules = new ArrayList<>();
        for (Attributes rule : a.nests(AttributeId.RULE)) {
            rules.add(new RuleInfo(
                    rule.u32(AttributeId.RULE_ID), rule.string(AttributeId.RULE_TEXT), rule.u64(AttributeId.MATCHED)));
        }
        return rules;
    }

    static CorrelationInfo correlation(Attributes a) throws MalformedMessageException {
        return new CorrelationInfo(
                a.u32(AttributeId.CORRELATION_ID),
                a.string(AttributeId.DEFINITION),
                a.string(AttributeId.BUFFER),
                Flag.PERSISTENT.in(a.u32(AttributeId.FLAGS)),
                a.optionalU32(AttributeId.OWNER),
                a.u64(AttributeId.MATCHED),
                a.u64(AttributeId.LOST_BEFORE),
                a.u64(AttributeId.FORGOTTEN),
                a.u64(AttributeId.DROPPED));
    }

    /** The number of a reason to drop a packet, and its name. */
    static Map.Entry<Integer, String> dropReason(Attributes a) throws MalformedMessageException {
        return Map.entry(a.s32(AttributeId.DROP_REASON), a.string(AttributeId.DROP_REASON_NAME));
    }

    static UrgentNotice urgent(Attributes a) throws MalformedMessageException {
        return new UrgentNotice(
                a.string(AttributeId.POINT),
                a.u16(AttributeId.EVENT),
                a.string(AttributeId.BUFFER),
                a.u32(AttributeId.SUB_ID),
                a.u64(AttributeId.URGENT));
    }

    static LossNotice loss(Attributes a) throws MalformedMessageException {
        return new LossNotice(a.string(AttributeId.BUFFER), a.u64(AttributeId.LOST));
    }

    /** A buffer with many CPUs comes in several messages, one after the other: puts them together. */
    static List<BufferInfo> joinBuffers(List<BufferInfo> parts) {
        List<BufferInfo> whole = new ArrayList<>();
        for (BufferInfo part : parts) {
            int last = whole.size() - 1;
            if (last >= 0 && whole.get(last).name().equals(part.name())) {
                BufferInfo before = whole.get(last);
                whole.set(
                        last,
                        new BufferInfo(
                                part.name(),
                                part.size(),
                                part.persistent(),
                                part.flightRecorder(),
                                part.owner(),
                                part.subscriptions(),
                                part.mergedLate(),
                                concatenate(before.rings(), part.rings())));
            } else {
                whole.add(part);
            }
        }
        return whole;
    }

    /** A subscription with many CPUs comes in several messages, one after the other: puts them together. */
    static List<SubscriptionInfo> joinSubscriptions(List<SubscriptionInfo> parts) {
        List<SubscriptionInfo> whole = new ArrayList<>();
        for (SubscriptionInfo part : parts) {
            int last = whole.size() - 1;
            if (last >= 0 && whole.get(last).id() == part.id()) {
                SubscriptionInfo before = whole.get(last);
                whole.set(
                        last,
                        new SubscriptionInfo(
                                part.id(),
                                part.point(),
                                part.event(),
                                part.buffer(),
                                part.persistent(),
                                part.urgent(),
                                part.owner(),
                                part.sampleCount(),
                                part.sampleIntervalUs(),
                                part.snapBytes(),
                                part.counters(),
                                concatenate(before.counts(), part.counts())));
            } else {
                whole.add(part);
            }
        }
        return whole;
    }

    /** A chain with many rules comes in several messages, one after the other: puts them together. */
    static List<ChainInfo> joinChains(List<ChainInfo> parts) {
        List<ChainInfo> whole = new ArrayList<>();
        for (ChainInfo part : parts) {
            int last = whole.size() - 1;
            if (last >= 0 && whole.get(last).subscription() == part.subscription()) {
                List<RuleInfo> rules = concatenate(whole.get(last).rules(), part.rules());
                whole.set(last, new ChainInfo(part.subscription(), part.point(), part.buffer(), rules));
            } else {
                whole.add(part);
            }
        }
        return whole;
    }

    private static <T> List<T> concatenate(List<T> first, List<T> second) {
        List<T> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
