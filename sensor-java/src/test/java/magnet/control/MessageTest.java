// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MessageTest {
    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    @Test
    void shouldWriteARequestByteForByte() {
        ByteBuffer request = new RequestWriter(31, 5, 42, 3, 1)
                .string(19, "abcd")
                .u32(21, -1)
                .u64(20, 0x0102_0304_0506_0708L)
                .build();
        ByteBuffer expected = bytes(20 + 12 + 8 + 12);
        expected.putInt(52).putShort((short) 31).putShort((short) 5).putInt(42).putInt(0);
        expected.put((byte) 3).put((byte) 1).putShort((short) 0);
        expected.putShort((short) 9).putShort((short) 19).put(new byte[] {'a', 'b', 'c', 'd', 0, 0, 0, 0});
        expected.putShort((short) 8).putShort((short) 21).putInt(-1);
        expected.putShort((short) 12).putShort((short) 20).putLong(0x0102_0304_0506_0708L);
        assertThat(request).isEqualTo(expected.flip());
    }

    @Test
    void shouldReadSeveralMessagesOfOneDatagram() throws IOException {
        List<Message> messages = Message.parse(
                new ReplyWriter().message(31, 2, 5, 4).u32(1, 7).done(5, 0, 0).datagram());
        assertThat(messages).hasSize(2);
        assertThat(messages.get(0).command()).isEqualTo(4);
        assertThat(messages.get(0).attributes().u32(1)).isEqualTo(7);
        assertThat(messages.get(1).type()).isEqualTo(Netlink.TYPE_DONE);
        assertThat(messages.get(1).errno()).isZero();
        assertThat(Message.parse(bytes(0))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"15, 15", "20, 15", "20, 24", "20, -1", "20, 2147483647"})
    void shouldRefuseALengthThatCannotBe(int available, int claimed) {
        ByteBuffer datagram = bytes(available).putInt(0, claimed);
        assertThatThrownBy(() -> Message.parse(datagram)).isInstanceOf(MalformedMessageException.class);
    }

    @ParameterizedTest
    @CsvSource({"8, 3", "8, 9", "8, 65535", "4, 8"})
    void shouldRefuseAnAttributesLengthThatCannotBe(int available, int claimed) {
        ByteBuffer attributes = bytes(available).putShort(0, (short) claimed);
        assertThatThrownBy(() -> Attributes.parse(attributes, 0, available))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void shouldRefuseAValueOfTheWrongSize() throws IOException {
        Attributes attributes = Message.parse(
                        new ReplyWriter().message(31, 0, 1, 1).u32(5, 1).datagram())
                .get(0)
                .attributes();
        assertThatThrownBy(() -> attributes.u64(5)).hasMessageContaining("attribute 5 has 4 bytes and not 8");
        assertThatThrownBy(() -> attributes.u16(5)).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> attributes.u32(6)).hasMessageContaining("attribute 6 is missing");
        assertThat(attributes.optionalU32(6)).isEmpty();
        assertThat(attributes.copy().u32(5)).isEqualTo(1);
    }

    @Test
    void shouldReadAStringWithoutNul() throws IOException {
        ByteBuffer bytes = bytes(8);
        bytes.putShort((short) 7).putShort((short) 9).put(new byte[] {'a', 'b', 'c', 0});
        assertThat(Attributes.parse(bytes, 0, 8).string(9)).isEqualTo("abc");
    }

    @Test
    void shouldFindTheTextOfAnErrorThatRepeatsTheRequest() throws IOException {
        ByteBuffer datagram = bytes(16 + 4 + 24 + 8);
        datagram.putInt(52).putShort((short) Netlink.TYPE_ERROR).putShort((short) Netlink.FLAG_ACK_ATTRIBUTES);
        datagram.putInt(1).putInt(0).putInt(-22);
        datagram.putInt(24).position(16 + 4 + 24);
        datagram.putShort((short) 7).putShort((short) Netlink.ERROR_TEXT).put(new byte[] {'n', 'o', 0, 0});
        Message error = Message.parse(datagram.flip()).get(0);
        assertThat(error.errno()).isEqualTo(22);
        assertThat(error.errorText()).isEqualTo("no");
    }

    @Test
    void shouldRefuseAnErrorThatRepeatsMoreThanThereIs() throws IOException {
        ByteBuffer datagram = bytes(36);
        datagram.putInt(36).putShort((short) Netlink.TYPE_ERROR).putShort((short) Netlink.FLAG_ACK_ATTRIBUTES);
        datagram.putInt(1).putInt(0).putInt(-22).putInt(1_000);
        Message error = Message.parse(datagram.clear()).get(0);
        assertThatThrownBy(error::errorText).hasMessageContaining("repeats 1000 bytes");
    }

    @Test
    void shouldRefuseForeignByteOrder() {
        ByteOrder foreign =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        ByteBuffer datagram = ByteBuffer.allocate(20).order(foreign);
        assertThatThrownBy(() -> Message.parse(datagram)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Attributes.parse(datagram, 0, 20)).isInstanceOf(IllegalArgumentException.class);
    }
}
