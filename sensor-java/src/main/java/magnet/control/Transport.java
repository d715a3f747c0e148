// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import magnet.os.NetlinkSocket;
import magnet.os.OsException;

/** Carries datagrams to the kernel and back; the seam at which tests put a kernel of their own. */
interface Transport extends AutoCloseable {
    /** The port id that the kernel knows this end by. */
    int portId();

    void send(ByteBuffer message) throws IOException;

    /**
     * One datagram, valid until the next call; empty when the time passed.
     *
     * @param timeoutMs longest wait in milliseconds
     */
    ByteBuffer receive(int timeoutMs) throws IOException;

    /** Also receives what is sent to a multicast group. */
    void join(int group) throws IOException;

    @Override
    void close();

    /** A generic netlink socket. */
    static Transport socket() throws OsException {
        NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.GENERIC);
        return new Transport() {
            @Override
            public int portId() {
                return socket.portId();
            }

            @Override
            public void send(ByteBuffer message) throws OsException {
                socket.send(message);
            }

            @Override
            public ByteBuffer receive(int timeoutMs) throws OsException {
                return socket.receive(timeoutMs);
            }

            @Override
            public void join(int group) throws OsException {
                socket.join(group);
            }

            @Override
            public void close() {
                socket.close();
            }
        };
    }
}
