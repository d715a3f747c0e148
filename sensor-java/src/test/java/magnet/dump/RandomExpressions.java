// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** Expressions and packets that often have to do with each other. */
final class RandomExpressions {
    private static final int[] PORTS = {0, 0, 53, 80, 443, 65_535};
    private static final int[] PROTOCOLS = {1, 6, 6, 17, 17, 47, 58, 132, 136};
    private static final List<String> KINDS =
            List.of("ip", "ip6", "arp", "rarp", "tcp", "udp", "sctp", "icmp", "icmp6", "inbound", "outbound");
    private static final List<String> ENDS = List.of("", "src ", "dst ", "src or dst ", "src and dst ");

    private final Random random;

    RandomExpressions(Random random) {
        this.random = random;
    }

    String expression(int depth) {
        int kind = depth == 0 ? 9 : random.nextInt(10);
        return switch (kind) {
            case 0, 1 -> "(" + expression(depth - 1) + ") and (" + expression(depth - 1) + ")";
            case 2, 3 -> "(" + expression(depth - 1) + ") or (" + expression(depth - 1) + ")";
            case 4, 5 -> "not (" + expression(depth - 1) + ")";
            default -> test();
        };
    }

    private String test() {
        String end = ENDS.get(random.nextInt(ENDS.size()));
        return switch (random.nextInt(10)) {
            case 0, 1 -> end + "host 10.0.0." + random.nextInt(3);
            case 2 -> end + "host fd00::" + random.nextInt(3);
            case 3 -> end + "net 10.0.0.0/" + (30 + random.nextInt(2));
            case 4 -> List.of("", "tcp ", "udp ").get(random.nextInt(3)) + end + "port " + pick(PORTS);
            case 5 -> end + "portrange " + random.nextInt(60) + "-" + (60 + random.nextInt(400));
            case 6 -> List.of("", "ip ", "ip6 ").get(random.nextInt(3)) + "proto " + pick(PROTOCOLS);
            case 7 -> List.of("cpu ", "pid ", "tid ").get(random.nextInt(3)) + random.nextInt(2);
            default -> KINDS.get(random.nextInt(KINDS.size()));
        };
    }

    int pick(int... numbers) {
        return numbers[random.nextInt(numbers.length)];
    }

    int ethertype() {
        return pick(
                Ethertype.IPV4, Ethertype.IPV4, Ethertype.IPV6, Ethertype.IPV6, Ethertype.ARP, Ethertype.RARP, 0x88cc);
    }

    byte[] packet(int ethertype) {
        int source = random.nextInt(3);
        int destination = random.nextInt(3);
        return switch (ethertype) {
            case Ethertype.IPV4 ->
                ports(PacketRecords.ipv4(
                        0x0a000000 + source, 0x0a000000 + destination, pick(PROTOCOLS), pick(0, 0, 0x2000, 5), 20));
            case Ethertype.IPV6 ->
                random.nextBoolean() ? ports(PacketRecords.ipv6(source, destination, pick(PROTOCOLS), 20)) : extended();
            case Ethertype.ARP, Ethertype.RARP ->
                PacketRecords.arp(random.nextBoolean(), 0x0a000000 + source, 0x0a000000 + destination);
            default -> new byte[] {2, 7, 4, 1, 2, 3};
        };
    }

    /** With a fragment's header, of the first one or of a further one. */
    private byte[] extended() {
        ByteBuffer packet = PacketRecords.ipv6(random.nextInt(3), random.nextInt(3), 44, 28);
        packet.put((byte) pick(PROTOCOLS))
                .put((byte) 0)
                .putShort((short) pick(1, 8 * 5))
                .putInt(9);
        return ports(packet);
    }

    private byte[] ports(ByteBuffer packet) {
        return PacketRecords.bytes(packet.putShort((short) pick(PORTS)).putShort((short) pick(PORTS)));
    }
}
