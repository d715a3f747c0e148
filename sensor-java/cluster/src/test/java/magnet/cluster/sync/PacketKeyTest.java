// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PacketKeyTest {
    private static final int FROM = 24;
    private final PacketKey key = new PacketKey();

    /** A packet of random bytes with the headers that it needs. */
    private static byte[] ipv4(int protocol, int length, long seed) {
        byte[] packet = new byte[length];
        new Random(seed).nextBytes(packet);
        packet[0] = 0x45;
        packet[2] = (byte) (length >> 8);
        packet[3] = (byte) length;
        packet[6] = 0x40;
        packet[7] = 0;
        packet[9] = (byte) protocol;
        packet[12] = 10;
        packet[16] = 10;
        return packet;
    }

    private static byte[] ipv6(int protocol, int length, long seed) {
        byte[] packet = new byte[length];
        new Random(seed).nextBytes(packet);
        packet[0] = 0x60;
        packet[4] = (byte) ((length - 40) >> 8);
        packet[5] = (byte) (length - 40);
        packet[6] = (byte) protocol;
        packet[8] = 0x20;
        packet[24] = 0x20;
        return packet;
    }

    private static byte[] with(byte[] packet, int at, int value) {
        byte[] other = packet.clone();
        other[at] = (byte) value;
        return other;
    }

    private LeftOut read(byte[] packet, int captured, long length) {
        ByteBuffer bytes = ByteBuffer.allocate(FROM + packet.length).order(ByteOrder.nativeOrder());
        bytes.put(FROM, packet);
        return key.read(bytes, FROM, captured, length);
    }

    private long keyOf(byte[] packet) {
        return keyOf(packet, packet.length);
    }

    private long keyOf(byte[] packet, long length) {
        assertThat(read(packet, (int) Math.min(60, length), length)).isNull();
        return key.value();
    }

    private void assertSame(byte[] one, byte[] other) {
        assertThat(keyOf(other)).isEqualTo(keyOf(one));
    }

    private void assertDiffers(byte[] one, byte[] other) {
        assertThat(keyOf(other)).isNotEqualTo(keyOf(one));
    }

    @Test
    void shouldLeaveOutWhatChangesOnTheWay() {
        for (int protocol : new int[] {1, 6, 17}) {
            byte[] packet = ipv4(protocol, 200, protocol);
            assertSame(packet, with(packet, 1, 3)); // ECN
            assertSame(packet, with(packet, 8, 7)); // hops left
            assertSame(packet, with(packet, 10, 99)); // checksum
            assertSame(packet, with(packet, 100, 99)); // not recorded
        }
        byte[] packet = ipv6(17, 200, 4);
        assertSame(packet, with(packet, 7, 7));
        assertSame(packet, with(packet, 3, 7)); // flow label
    }

    @Test
    void shouldTellPacketsApart() {
        for (int protocol : new int[] {1, 6, 17}) {
            byte[] packet = ipv4(protocol, 200, protocol);
            for (int at : new int[] {4, 5, 12, 15, 16, 19, 20, 21, 22, 23}) {
                assertDiffers(packet, with(packet, at, packet[at] + 1));
            }
        }
        byte[] tcp = ipv4(6, 200, 9);
        for (int at = 24; at < 33; at++) {
            assertDiffers(tcp, with(tcp, at, tcp[at] + 1));
        }
        assertDiffers(tcp, with(tcp, 33, tcp[33] ^ 0x10));
    }

    @Test
    void shouldTakeAMergedSegmentForItsFirstOne() {
        byte[] first = ipv4(6, 1500, 11);
        byte[] merged = first.clone();
        merged[2] = (byte) (9000 >> 8);
        merged[3] = (byte) 9000;
        merged[33] ^= 0x09; // PSH and FIN of the last one

        assertThat(keyOf(merged, 9000)).isEqualTo(keyOf(first, 1500));
    }

    @Test
    void shouldNotAskForTheChecksumThatACardComputesNorForTheLengthOfMergedDatagrams() {
        byte[] datagram = ipv4(17, 1000, 12);
        byte[] other = datagram.clone();
        other[24] ^= 0x11;
        other[25] ^= 0x11;
        other[26] ^= 0x55;
        other[27] ^= 0x55;

        assertSame(datagram, other);
    }

    @Test
    void shouldTellDatagramsWithoutIdentificationApartByTheirData() {
        byte[] none = with(with(ipv4(17, 70, 13), 4, 0), 5, 0);
        assertDiffers(none, with(none, 28, none[28] + 1));
        assertDiffers(none, with(none, 59, none[59] + 1));
        assertSame(none, with(none, 60, none[60] + 1));
        byte[] six = ipv6(17, 70, 14);
        assertDiffers(six, with(six, 48, six[48] + 1));
        assertDiffers(six, with(six, 59, six[59] + 1));
    }

    @Test
    void shouldNotTakePaddingOfAShortFrameForData() {
        byte[] shorty = ipv4(17, 31, 15);
        byte[] padded = java.util.Arrays.copyOf(shorty, 46);
        padded[45] = 1;

        assertThat(keyOf(padded, 46)).isEqualTo(keyOf(shorty, 31));
    }

    @Test
    void shouldHaveAnotherKeyBehindATranslationOfAddresses() {
        byte[] inside = ipv4(6, 100, 16);
        byte[] outside = with(with(inside, 15, 200), 20, 0xee);

        assertDiffers(inside, outside);
    }

    @Test
    void shouldSayWhyAPacketHasNone() {
        byte[] udp = ipv4(17, 100, 17);
        assertThat(read(udp, 0, 100)).isEqualTo(LeftOut.SHORT);
        assertThat(read(udp, 0, 0)).isEqualTo(LeftOut.OTHER_PROTOCOL);
        assertThat(read(udp, 19, 100)).isEqualTo(LeftOut.SHORT);
        assertThat(read(udp, 40, 100)).isEqualTo(LeftOut.SHORT);
        assertThat(read(ipv4(6, 100, 18), 33, 100)).isEqualTo(LeftOut.SHORT);
        assertThat(read(ipv4(6, 100, 18), 34, 100)).isNull();
        assertThat(read(ipv4(47, 100, 19), 60, 100)).isEqualTo(LeftOut.OTHER_PROTOCOL);
        assertThat(read(with(udp, 7, 5), 60, 100)).isEqualTo(LeftOut.FRAGMENT);
        assertThat(read(with(udp, 12, 127), 60, 100)).isEqualTo(LeftOut.LOOPBACK);
        byte[] local = ipv6(17, 100, 20);
        for (int at = 24; at < 40; at++) {
            local[at] = (byte) (at == 39 ? 1 : 0);
        }
        assertThat(read(local, 60, 100)).isEqualTo(LeftOut.LOOPBACK);
        assertThat(read(with(udp, 0, 0x00), 60, 100)).isEqualTo(LeftOut.OTHER_PROTOCOL);
    }

    @Test
    void shouldHaveAMillionKeysWithoutTwoThatAreEqual() {
        Set<Long> keys = new HashSet<>();
        byte[] packet = ipv4(6, 60, 21);
        ByteBuffer bytes = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        bytes.put(0, packet);
        for (int number = 0; number < 1_000_000; number++) {
            // The sequence number and the identification count up, as they do.
            bytes.put(4, (byte) (number >> 8)).put(5, (byte) number);
            bytes.put(24, (byte) (number >> 24)).put(25, (byte) (number >> 16));
            bytes.put(26, (byte) (number >> 8)).put(27, (byte) number);
            assertThat(key.read(bytes, 0, 60, 60)).isNull();
            keys.add(key.value());
        }
        assertThat(keys).hasSize(1_000_000);
        long even = keys.stream().filter(each -> (each & 1) == 0).count();
        assertThat(even).isBetween(498_000L, 502_000L);
    }

    @Test
    void shouldTakeAnyBytes() {
        Random random = new Random(20_261_127);
        int withKey = 0;
        for (int number = 0; number < 300_000; number++) {
            byte[] packet = random.nextBoolean()
                    ? ipv4(random.nextInt(256), 28 + random.nextInt(80), number)
                    : ipv6(random.nextInt(256), 48 + random.nextInt(80), number);
            for (int change = random.nextInt(4); change > 0; change--) {
                packet[random.nextInt(packet.length)] = (byte) random.nextInt();
            }
            int captured = Math.min(packet.length, random.nextInt(70));
            withKey +=
                    read(packet, captured, random.nextInt(4) == 0 ? random.nextInt() : packet.length) == null ? 1 : 0;
        }
        assertThat(withKey).isBetween(1_000, 299_000);
    }
}
