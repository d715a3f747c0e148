// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A netlink socket to the kernel: datagrams to it and from it, nothing of what they mean. Not thread-safe.
 *
 * <p>{@code struct sockaddr_nl} is {@code u16 family; u16 pad; u32 pid; u32 groups}.
 */
public final class NetlinkSocket implements AutoCloseable {
    /** NETLINK_GENERIC. */
    public static final int GENERIC = 16;

    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_NETLINK = 270;
    private static final int NETLINK_ADD_MEMBERSHIP = 1;
    private static final int NETLINK_CAP_ACK = 10;
    private static final int NETLINK_EXT_ACK = 11;
    private static final int MSG_TRUNC = 0x20;
    private static final int ADDRESS_SIZE = 12;
    private static final int PORT_OFFSET = 4;
    /** The kernel makes dumps of up to 32 KiB; a single reply has some 140 bytes per CPU. */
    private static final int RECEIVE_SIZE = 256 * 1024;

    private final NativeBuffer address = NativeBuffer.allocate(ADDRESS_SIZE);
    private final NativeBuffer scratch = NativeBuffer.allocate(Long.BYTES);
    private final NativeBuffer received = NativeBuffer.allocate(RECEIVE_SIZE);
    private final Poller poller = new Poller();
    private int fd;
    private int portId;

    private NetlinkSocket(int fd) {
        this.fd = fd;
    }

    /**
     * Opens a socket that the kernel gives a port id of its own, and asks for texts with errors
     * (NETLINK_EXT_ACK) and for acknowledgements without the request in them (NETLINK_CAP_ACK).
     */
    public static NetlinkSocket open(int protocol) throws OsException {
        Libc.require();
        int fd = Libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol);
        if (fd < 0) {
            throw new OsException("socket AF_NETLINK", Libc.errno());
        }
        NetlinkSocket socket = new NetlinkSocket(fd);
        try {
            socket.prepare();
        } catch (OsException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    private void prepare() throws OsException {
        address.bytes().putShort(0, (short) AF_NETLINK);
        check("bind", Libc.bind(fd, address.address(0, ADDRESS_SIZE), ADDRESS_SIZE));
        scratch.bytes().putInt(0, ADDRESS_SIZE);
        check("getsockname", Libc.getsockname(fd, address.address(0, ADDRESS_SIZE), scratch.address(0, 4)));
        portId = address.bytes().getInt(PORT_OFFSET);
        address.bytes().putInt(PORT_OFFSET, 0);
        setOption(NETLINK_EXT_ACK, 1);
        setOption(NETLINK_CAP_ACK, 1);
        poller.add(this);
    }

    /** The port id that the kernel knows this socket by: the owner of what it makes. */
    public int portId() {
        return portId;
    }

    /** Receives what the kernel sends to a multicast group, too. */
    public void join(int group) throws OsException {
        setOption(NETLINK_ADD_MEMBERSHIP, group);
    }

    private void setOption(int option, int value) throws OsException {
        scratch.bytes().putInt(0, value);
        check("setsockopt " + option, Libc.setsockopt(fd, SOL_NETLINK, option, scratch.address(0, 4), 4));
    }

    /** Sends a message, from its position to its limit, to the kernel. */
    public void send(ByteBuffer message) throws OsException {
        int size = message.remaining();
        NativeBuffer copy = NativeBuffer.allocate(size);
        copy.bytes().put(0, message, message.position(), size);
        check("send", Libc.sendto(fd, copy.address(0, size), size, 0, address.address(0, ADDRESS_SIZE), ADDRESS_SIZE));
    }

    /**
     * Receives one datagram.
     *
     * @param timeoutMs longest wait in milliseconds, -1 for ever
     * @return its bytes in the machine's order, valid until the next call; none when the time passed
     * @throws OsException also with ENOBUFS: the kernel had to drop messages to this socket
     */
    public ByteBuffer receive(int timeoutMs) throws OsException {
        if (poller.poll(timeoutMs) == 0) {
            return received.bytes().slice(0, 0).order(ByteOrder.nativeOrder());
        }
        long size = Libc.recv(fd, received.address(0, RECEIVE_SIZE), RECEIVE_SIZE, MSG_TRUNC);
        check("recv", size);
        if (size > RECEIVE_SIZE) {
            throw new OsException("recv netlink message of " + size + " bytes", Errno.EMSGSIZE.number());
        }
        return received.bytes().slice(0, (int) size).order(ByteOrder.nativeOrder());
    }

    private static void check(String call, long result) throws OsException {
        if (result < 0) {
            throw new OsException(call + " netlink", Libc.errno());
        }
    }

    int fd() {
        return fd;
    }

    @Override
    public void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }
}
