// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import magnet.record.RecordFlyweight;

/**
 * One test of a rule: whether a field is in one of some ranges, or is not. Immutable once it is complete; for one thread
 * until then.
 */
final class RuleCondition {
    /** Numbers from {@code low} to {@code high}, or, of an address or bits, what is {@code low} under a mask. */
    private record Range(long low, long high, long maskLow, long maskHigh) {}

    private final RuleField field;
    private final boolean negated;
    private final List<Range> building = new ArrayList<>();
    private Range[] ranges = {};

    RuleCondition(RuleField field, boolean negated) {
        this.field = field;
        this.negated = negated;
    }

    boolean isOfPacket() {
        return field.isOfPacket();
    }

    int size() {
        return ranges.length;
    }

    /** Numbers as the field has them. */
    void addRange(long low, long high) {
        add(new Range(low, high, 0, 0));
    }

    /** What is 0 in all of these bits. */
    void addClear(long bits) {
        if (bits == 0) {
            addRange(field.signed() ? Long.MIN_VALUE : 0, field.signed() ? Long.MAX_VALUE : -1);
            return;
        }
        add(new Range(0, 0, bits, 0));
    }

    /** Addresses that begin like this one. */
    void addPrefix(long high, long low, long maskHigh, long maskLow) {
        add(new Range(low & maskLow, high & maskHigh, maskLow, maskHigh));
    }

    private void add(Range range) {
        building.add(range);
        ranges = building.toArray(new Range[0]);
    }

    boolean matches(RecordFlyweight record, PacketHeaders packet) {
        long value = field.value(record, packet);
        for (Range range : ranges) {
            if (isIn(range, value, packet)) {
                return !negated;
            }
        }
        return negated;
    }

    private boolean isIn(Range range, long value, PacketHeaders packet) {
        if (field.isAddress()) {
            return (value & range.maskLow) == range.low && (field.high(packet) & range.maskHigh) == range.high;
        }
        if (range.maskLow != 0) {
            return (value & range.maskLow) == 0;
        }
        return field.signed()
                ? value >= range.low && value <= range.high
                : Long.compareUnsigned(value, range.low) >= 0 && Long.compareUnsigned(value, range.high) <= 0;
    }
}
