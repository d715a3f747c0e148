// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DatagramFormTest {
    private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final Message START = new Message(
            Kind.START,
            new Id(0x0102030405060708L, 0x090a0b0c0d0e0f10L),
            0x1112131415161718L,
            new Id(0x2122232425262728L, 0x292a2b2c2d2e2f30L),
            0x3132333435363738L,
            0x4142434445464748L,
            "default");

    private final ClusterKey key = new ClusterKey(SECRET);

    @Test
    void shouldLieInTheDatagramAsItIsDescribed() throws GeneralSecurityException {
        byte[] bytes = DatagramForm.encode(START, key).array();

        String before = "4d474331" + "01" + "01" + "0067" + "0102030405060708090a0b0c0d0e0f10" + "1112131415161718"
                + "2122232425262728292a2b2c2d2e2f30" + "3132333435363738" + "4142434445464748" + "64656661756c74";
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        byte[] signature = mac.doFinal(HexFormat.of().parseHex(before));
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo(before + HexFormat.of().formatHex(signature));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldSayWhatWasSaid(Kind kind) throws RefusedException {
        Message message = new Message(kind, START.sender(), -1, Id.NONE, 0, Long.MAX_VALUE, "grün\nzwei");

        assertThat(DatagramForm.decode(DatagramForm.encode(message, key), key)).isEqualTo(message);
    }

    @Test
    void shouldRefuseWhatAnotherKeyHasSigned() {
        ByteBuffer datagram = DatagramForm.encode(START, new ClusterKey(new byte[32]));

        assertRefused(datagram, Refusal.BAD_MAC);
    }

    @Test
    void shouldRefuseADatagramWithAnyBitChanged() {
        byte[] good = DatagramForm.encode(START, key).array();
        for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
            byte[] bytes = good.clone();
            bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            int at = bit / Byte.SIZE;
            boolean ofForm = at < DatagramForm.VERSION_OFFSET
                    || (at >= DatagramForm.LENGTH_OFFSET && at < DatagramForm.SENDER_OFFSET);
            assertRefused(ByteBuffer.wrap(bytes), ofForm ? Refusal.SHORT : Refusal.BAD_MAC);
        }
    }

    @Test
    void shouldRefuseADatagramCutAtAnyByteOrWithMoreBehindIt() {
        byte[] good = DatagramForm.encode(START, key).array();
        for (int length = 0; length < good.length; length++) {
            assertRefused(ByteBuffer.wrap(good, 0, length).slice(), Refusal.SHORT);
        }
        assertRefused(ByteBuffer.allocate(good.length + 1).put(good).clear(), Refusal.SHORT);
    }

    @Test
    void shouldRefuseAnotherVersionOnlyOfWhoHasTheKey() {
        ByteBuffer datagram = DatagramForm.encode(START, key);
        datagram.put(DatagramForm.VERSION_OFFSET, (byte) 2);
        assertRefused(datagram, Refusal.BAD_MAC);

        key.sign(datagram, datagram.limit() - ClusterKey.MAC_SIZE);
        assertRefused(datagram, Refusal.VERSION);
    }

    @Test
    void shouldRefuseAKindThatThereIsNot() {
        ByteBuffer datagram = DatagramForm.encode(START, key);
        datagram.put(DatagramForm.KIND_OFFSET, (byte) 5);
        key.sign(datagram, datagram.limit() - ClusterKey.MAC_SIZE);

        assertRefused(datagram, Refusal.VERSION);
    }

    @Test
    void shouldRefuseNoiseWithoutAnyOtherAnswer() {
        Random random = new Random(4711);
        for (int i = 0; i < 10_000; i++) {
            byte[] noise = new byte[random.nextInt(DatagramForm.SIZE_MOST + 10)];
            random.nextBytes(noise);
            assertRefused(ByteBuffer.wrap(noise), Refusal.SHORT);
        }
    }

    @Test
    void shouldTakeNoTextThatIsTooLong() throws RefusedException {
        String longest = "x".repeat(DatagramForm.TEXT_MOST);
        ByteBuffer datagram = DatagramForm.encode(text(longest), key);
        assertThat(datagram.limit()).isEqualTo(DatagramForm.SIZE_MOST);
        assertThat(DatagramForm.decode(datagram, key).text()).isEqualTo(longest);

        assertThatIllegalArgumentException().isThrownBy(() -> DatagramForm.encode(text(longest + "x"), key));
    }

    private static Message text(String text) {
        return new Message(Kind.ACK, Id.NONE, 0, Id.NONE, 0, 0, text);
    }

    private void assertRefused(ByteBuffer datagram, Refusal why) {
        assertThatThrownBy(() -> DatagramForm.decode(datagram, key))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.refusal()).isEqualTo(why));
    }
}
