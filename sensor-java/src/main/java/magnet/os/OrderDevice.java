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
    private static final int CHUNK = 64 * 1024;

    private final DataFile file;
    private final NativeBuffer buffer = NativeBuffer.allocate(CHUNK);

    private OrderDevice(DataFile file) {
        this.file = file;
    }

    /**
     * Opens it.
     *
     * @throws OsException if it is not there or may not be opened; EBUSY if somebody has it
     */
    public static OrderDevice open(Path path) throws OsException {
        return new OrderDevice(DataFile.open(path, O_RDWR));
    }

    /** Its text up to the end, each byte a character. */
    public String text() throws OsException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] part = new byte[CHUNK];
        while (true) {
            int count = file.read(buffer, 0, CHUNK);
            if (count == DataFile.WOULD_BLOCK) {
                throw new OsException("read " + file.path(), Errno.EAGAIN.number());
            }
            if (count == 0) {
                return text.toString(StandardCharsets.ISO_8859_1);
            }
            buffer.bytes().get(0, part, 0, count);
            text.write(part, 0, count);
        }
    }

    /** Gives an order. */
    public void order(String order) throws OsException {
        byte[] bytes = order.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length > CHUNK) {
            throw new OsException("write " + file.path(), Errno.EMSGSIZE.number());
        }
        buffer.bytes().put(0, bytes);
        if (Libc.write(file.fd(), buffer.address(0, bytes.length), bytes.length) < 0) {
            throw new OsException("write " + file.path(), Libc.errno());
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
