// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.dump.Formula.Address;
import magnet.dump.Formula.Value;

/**
 * Tests that are all to be true: of each number one at most. Immutable.
 *
 * @param numbers what fields have to be, by field
 * @param addresses what addresses have to be
 */
record Term(Map<PacketField, Ranges> numbers, Set<Address> addresses) {
    /** No test. */
    static final Term TRUE = new Term(Map.of(), Set.of());

    static Term of(Value value) {
        return new Term(Map.of(value.field(), value.ranges()), Set.of());
    }

    static Term of(Address address) {
        return new Term(Map.of(), Set.of(address));
    }

    /** Both; empty if both cannot be true. */
    Optional<Term> and(Term other) {
        Map<PacketField, Ranges> all = new EnumMap<>(PacketField.class);
        all.putAll(numbers);
        for (Map.Entry<PacketField, Ranges> each : other.numbers.entrySet()) {
            Ranges both = all.merge(each.getKey(), each.getValue(), Ranges::intersect);
            if (both.isEmpty()) {
                return Optional.empty();
            }
        }
        Set<Address> places = new LinkedHashSet<>(addresses);
        places.addAll(other.addresses);
        boolean contradictory = places.stream()
                .anyMatch(
                        address -> places.contains(new Address(address.field(), address.prefix(), !address.negated())));
        return contradictory ? Optional.empty() : Optional.of(new Term(all, places));
    }

    /** As rules have them. */
    List<String> tests() {
        List<String> tests = new ArrayList<>();
        for (PacketField field : PacketField.values()) {
            Ranges ranges = numbers.get(field);
            if (ranges != null && !ranges.isFull()) {
                tests.add(ranges.test(field.label(), field == PacketField.ETHERTYPE));
            }
        }
        for (Address address : addresses) {
            tests.add(address.field().label() + (address.negated() ? " != " : " in ") + address.prefix());
        }
        return tests;
    }
}
