// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Talks to the generic netlink controller, which every kernel has. */
@Timeout(60)
@SuppressWarnings("try") // closes within the block, too
final class NetlinkSocketTest {
    private static final short GENL_ID_CTRL = 16;
    private static final short NLM_F_REQUEST = 1;

    private static ByteBuffer getFamily(String name) {
        byte[] text = (name + "\0").getBytes(StandardCharsets.US_ASCII);
        int attribute = 4 + text.length;
        ByteBuffer message = ByteBuffer.allocate(20 + (attribute + 3) / 4 * 4).order(ByteOrder.nativeOrder());
        message.putInt(message.capacity()).putShort(GENL_ID_CTRL).putShort(NLM_F_REQUEST);
        message.putInt(42).putInt(0);
        message.put((byte) 3).put((byte) 1).putShort((short) 0);
        message.putShort((short) attribute).putShort((short) 2).put(text);
        return message.clear();
    }

    @Test
    void shouldExchangeMessagesWithTheKernel() throws OsException {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.GENERIC)) {
            socket.send(getFamily("nlctrl"));
            ByteBuffer reply = socket.receive(10_000);

            assertThat(reply.order()).isEqualTo(ByteOrder.nativeOrder());
            assertThat(reply.getInt(0)).isEqualTo(reply.remaining());
            assertThat(reply.getShort(4)).isEqualTo(GENL_ID_CTRL);
            assertThat(reply.getInt(8)).as("sequence number").isEqualTo(42);
            assertThat(reply.getInt(12)).as("port id").isEqualTo(socket.portId());
        }
    }

    @Test
    void shouldReturnNothingWhenTheTimePasses() throws OsException {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.GENERIC)) {
            assertThat(socket.receive(1).remaining()).isZero();
        }
    }

    @Test
    void shouldGiveEachSocketItsOwnPort() throws OsException {
        try (NetlinkSocket first = NetlinkSocket.open(NetlinkSocket.GENERIC);
                NetlinkSocket second = NetlinkSocket.open(NetlinkSocket.GENERIC)) {
            assertThat(first.portId()).isNotZero().isNotEqualTo(second.portId());
        }
    }

    @Test
    void shouldNameErrnoWhenACallFails() throws OsException {
        assertThatThrownBy(() -> NetlinkSocket.open(31)).hasMessageContaining("EPROTONOSUPPORT");
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.GENERIC)) {
            assertThatThrownBy(() -> socket.join(1_000_000)).hasMessageContaining("EINVAL");
            socket.close();
            assertThatThrownBy(() -> socket.send(getFamily("nlctrl"))).hasMessageContaining("EBADF");
        }
    }
}
