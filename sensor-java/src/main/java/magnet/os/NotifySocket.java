// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.nio.charset.StandardCharsets;

/**
 * The socket at which a service manager, systemd as a rule, listens to what its services say of themselves; see
 * sd_notify(3). Java's own channels have no datagrams over unix sockets.
 *
 * <p>Never waits. Thread-safe.
 *
 * <p>{@code struct sockaddr_un} is {@code u16 family; char path[108]}: a path ends with a NUL, the name of an abstract
 * socket begins with one and ends where the address does.
 */
public final class NotifySocket implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final int MSG_DONTWAIT_NOSIGNAL = 0x40 | 0x4000;
    private static final int PATH_OFFSET = 2;
    private static final int PATH_SIZE = 108;

    private final String where;
    private final NativeBuffer address;
    private int fd;

    private NotifySocket(String where, NativeBuffer address, int fd) {
        this.where = where;
        this.address = address;
        this.fd = fd;
    }

    /**
     * Opens a socket that sends to another.
     *
     * @param where an absolute path, or {@code @} and the name of an abstract socket, as in the environment's
     *     NOTIFY_SOCKET
     * @throws OsException EAFNOSUPPORT if it is neither, EINVAL if it is too long for an address
     */
    public static NotifySocket open(String where) throws OsException {
        Libc.require();
        NativeBuffer address = addressOf(where);
        int fd = Libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
        if (fd < 0) {
            throw new OsException("socket AF_UNIX", Libc.errno());
        }
        return new NotifySocket(where, address, fd);
    }

    private static NativeBuffer addressOf(String where) throws OsException {
        boolean named = where.startsWith("@");
        if (!named && !where.startsWith("/")) {
            throw new OsException("notify " + where, Errno.EAFNOSUPPORT.number());
        }
        byte[] path = where.getBytes(StandardCharsets.UTF_8);
        int size = named ? path.length : path.length + 1;
        if (path.length < 2 || size > PATH_SIZE) {
            throw new OsException("notify " + where, Errno.EINVAL.number());
        }
        NativeBuffer address = NativeBuffer.allocate(PATH_OFFSET + size);
        address.bytes().putShort(0, (short) AF_UNIX).put(PATH_OFFSET, path);
        if (named) {
            address.bytes().put(PATH_OFFSET, (byte) 0);
        }
        return address;
    }

    /**
     * Sends a datagram. Does nothing once it is closed.
     *
     * @throws OsException ENOENT or ECONNREFUSED if nobody listens, EAGAIN if the listener does not keep up
     */
    public synchronized void send(String message) throws OsException {
        if (fd < 0) {
            return;
        }
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        NativeBuffer copy = NativeBuffer.allocate(bytes.length);
        copy.bytes().put(0, bytes);
        long sent = Libc.sendto(
                fd,
                copy.address(0, bytes.length),
                bytes.length,
                MSG_DONTWAIT_NOSIGNAL,
                address.address(0, address.size()),
                address.size());
        if (sent < 0) {
            throw new OsException("notify " + where, Libc.errno());
        }
    }

    @Override
    public synchronized void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }
}
