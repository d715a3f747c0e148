// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A device that tells a text and takes orders, one in each write. It is opened without waiting for whoever has it. For one
 * thread.
 */
public final class OrderDevice implements AutoCloseable {
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int CHUNK = 64 * 1024;

    private final Path path;
    private final NativeBuffer buffer = NativeBuffer.allocate(CHUNK);
    private int fd;

    private OrderDevice(Path path, int fd) {
        this.path = path;
        this.fd = fd;
    }

    /**
     * Opens it.
     *
     * @throws OsException if it is not there or may not be opened; EBUSY if somebody has it
     */
    public static OrderDevice open(Path path) throws OsException {
        Libc.require();
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        int fd = Libc.open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0);
        if (fd < 0) {
            throw new OsException("open " + path, Libc.errno());
        }
        return new OrderDevice(path, fd);
    }

    /** Its text up to the end, each byte a character. */
    public String text() throws OsException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] part = new byte[CHUNK];
        while (true) {
            int count = (int) Libc.read(fd, buffer.address(0, CHUNK), CHUNK);
            if (count == 0) {
                return text.toString(StandardCharsets.ISO_8859_1);
            }
            if (count > 0) {
                buffer.bytes().get(0, part, 0, count);
                text.write(part, 0, count);
            } else if (Libc.errno() != Errno.EINTR.number()) {
                throw new OsException("read " + path, Libc.errno());
            }
        }
    }

    /** Gives an order. */
    public void order(String order) throws OsException {
        byte[] bytes = order.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length > CHUNK) {
            throw new OsException("write " + path, Errno.EMSGSIZE.number());
        }
        buffer.bytes().put(0, bytes);
        if (Libc.write(fd, buffer.address(0, bytes.length), bytes.length) < 0) {
            throw new OsException("write " + path, Libc.errno());
        }
    }

    @Override
    public void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }
}
