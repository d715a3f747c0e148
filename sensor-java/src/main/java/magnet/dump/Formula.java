// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.List;

/** Tests that the kernel's rules know, joined by and, or and not. Immutable. */
sealed interface Formula {
    /** True of everything. */
    Formula TRUE = new All(List.of());
    /** True of nothing. */
    Formula FALSE = new Any(List.of());

    /** All are true. */
    record All(List<Formula> parts) implements Formula {}

    /** One at least is. */
    record Any(List<Formula> parts) implements Formula {}

    /** A field is one of some numbers. */
    record Value(PacketField field, Ranges ranges) implements Formula {}

    /** An address begins so, or does not. */
    record Address(PacketField field, Prefix prefix, boolean negated) implements Formula {}

    static Formula all(Formula... parts) {
        return new All(List.of(parts));
    }

    static Formula any(Formula... parts) {
        return new Any(List.of(parts));
    }

    /** What is true where this is not. */
    static Formula not(Formula formula) {
        if (formula instanceof All all) {
            return new Any(negated(all.parts()));
        }
        if (formula instanceof Any any) {
            return new All(negated(any.parts()));
        }
        if (formula instanceof Value value) {
            return new Value(value.field(), value.ranges().complement());
        }
        Address address = (Address) formula;
        return new Address(address.field(), address.prefix(), !address.negated());
    }

    private static List<Formula> negated(List<Formula> parts) {
        return parts.stream().map(Formula::not).toList();
    }
}
