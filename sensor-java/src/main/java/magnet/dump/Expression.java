// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.function.LongPredicate;

/**
 * Which packets are wanted: the part of the language of pcap-filter(7) that {@link ExpressionParser} knows. What it is true of
 * is decided twice: by {@link #matches} exactly, of a packet whose headers were captured, and by rules in the kernel, which
 * may let more pass. For those each test says what rules know of it. Immutable.
 */
sealed interface Expression {
    /** Everything is wanted. */
    Expression EVERYTHING = new Everything();

    boolean matches(PacketFacts packet);

    /** What is true at least wherever this is. */
    Formula may();

    /** What is true at most where this is. */
    Formula must();

    /** Everything. */
    record Everything() implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return true;
        }

        @Override
        public Formula may() {
            return Formula.TRUE;
        }

        @Override
        public Formula must() {
            return Formula.TRUE;
        }
    }

    /** Both. */
    record And(Expression first, Expression second) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return first.matches(packet) && second.matches(packet);
        }

        @Override
        public Formula may() {
            return Formula.all(first.may(), second.may());
        }

        @Override
        public Formula must() {
            return Formula.all(first.must(), second.must());
        }
    }

    /** One of both, or both. */
    record Or(Expression first, Expression second) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return first.matches(packet) || second.matches(packet);
        }

        @Override
        public Formula may() {
            return Formula.any(first.may(), second.may());
        }

        @Override
        public Formula must() {
            return Formula.any(first.must(), second.must());
        }
    }

    /** Not this. */
    record Not(Expression other) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return !other.matches(packet);
        }

        @Override
        public Formula may() {
            return Formula.not(other.must());
        }

        @Override
        public Formula must() {
            return Formula.not(other.may());
        }
    }

    /** A number of the packet's or of the event's is one of these. */
    record Numbers(PacketField field, Ranges numbers) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return numbers.contains(packet.number(field));
        }

        @Override
        public Formula may() {
            return new Formula.Value(field, numbers);
        }

        @Override
        public Formula must() {
            return may();
        }
    }

    /** Which end of the packet's way is meant. */
    enum End {
        SOURCE,
        DESTINATION,
        EITHER,
        BOTH;

        Formula join(Formula source, Formula destination) {
            return switch (this) {
                case SOURCE -> source;
                case DESTINATION -> destination;
                case EITHER -> Formula.any(source, destination);
                case BOTH -> Formula.all(source, destination);
            };
        }

        boolean test(LongPredicate which, long source, long destination) {
            return switch (this) {
                case SOURCE -> which.test(source);
                case DESTINATION -> which.test(destination);
                case EITHER -> which.test(source) || which.test(destination);
                case BOTH -> which.test(source) && which.test(destination);
            };
        }
    }

    /**
     * An address of IP's header, or of an ARP request or answer, which no rule can look into.
     *
     * @param ethertypes in which kinds of packets it is looked for
     */
    record Addresses(Ranges ethertypes, End end, Prefix prefix) implements Expression {
        private static final Ranges ARP = Ranges.ofEach(0xffff, Ethertype.ARP, Ethertype.RARP);

        @Override
        public boolean matches(PacketFacts packet) {
            return ethertypes.contains(packet.ethertype())
                    && (ARP.contains(packet.ethertype()) ? inArp(packet) : inIp(packet));
        }

        private boolean inIp(PacketFacts packet) {
            boolean source = prefix.matches(
                    packet.headers().sourceHigh(), packet.headers().sourceLow());
            boolean destination = prefix.matches(
                    packet.headers().destinationHigh(), packet.headers().destinationLow());
            return end.test(value -> value != 0, source ? 1 : 0, destination ? 1 : 0);
        }

        private boolean inArp(PacketFacts packet) {
            return packet.hasArpAddresses()
                    && end.test(
                            address -> prefix.matches(0, (0xffffL << 32) | address),
                            packet.arpSource(),
                            packet.arpTarget());
        }

        @Override
        public Formula may() {
            Ranges arp = ethertypes.intersect(ARP);
            return arp.isEmpty() ? must() : Formula.any(new Formula.Value(PacketField.ETHERTYPE, arp), must());
        }

        @Override
        public Formula must() {
            Ranges ip = ethertypes.intersect(ARP.complement());
            return ip.isEmpty()
                    ? Formula.FALSE
                    : Formula.all(
                            new Formula.Value(PacketField.ETHERTYPE, ip),
                            end.join(
                                    new Formula.Address(PacketField.SOURCE_ADDRESS, prefix, false),
                                    new Formula.Address(PacketField.DESTINATION_ADDRESS, prefix, false)));
        }
    }

    /** A port of these protocols. Only the first fragment has any. */
    record Ports(Ranges protocols, End end, Ranges ports) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return packet.isIp()
                    && protocols.contains(packet.headers().protocol())
                    && !packet.headers().isFurtherFragment()
                    && end.test(
                            ports::contains,
                            packet.headers().sourcePort(),
                            packet.headers().destinationPort());
        }

        @Override
        public Formula may() {
            return of(ports);
        }

        /** To rules the ports of further fragments are 0. */
        @Override
        public Formula must() {
            return of(ports.intersect(Ranges.of(PacketField.SOURCE_PORT.most(), 1, PacketField.SOURCE_PORT.most())));
        }

        private Formula of(Ranges which) {
            return Formula.all(
                    new Formula.Value(PacketField.ETHERTYPE, PacketFacts.IP),
                    new Formula.Value(PacketField.PROTOCOL, protocols),
                    end.join(
                            new Formula.Value(PacketField.SOURCE_PORT, which),
                            new Formula.Value(PacketField.DESTINATION_PORT, which)));
        }
    }

    /** A protocol above IP. */
    record Protocols(Ranges ethertypes, Ranges protocols) implements Expression {
        @Override
        public boolean matches(PacketFacts packet) {
            return ethertypes.contains(packet.ethertype())
                    && protocols.contains(packet.headers().protocol());
        }

        @Override
        public Formula may() {
            return Formula.all(
                    new Formula.Value(PacketField.ETHERTYPE, ethertypes),
                    new Formula.Value(PacketField.PROTOCOL, protocols));
        }

        @Override
        public Formula must() {
            return may();
        }
    }
}
