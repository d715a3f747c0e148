// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A service manager's end of {@code NOTIFY_SOCKET}, at a path or, with {@code @} before it, at an abstract name. */
public final class NotifyListener implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int LONGEST = 4096;

    private final NativeBuffer received = NativeBuffer.allocate(LONGEST);
    private final int fd;

    public NotifyListener(String where) throws IOException {
        Libc.require();
        fd = Libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
        byte[] text =
                where.startsWith("@") ? where.replace('@', '\0').getBytes(StandardCharsets.UTF_8) : zeroEnded(where);
        NativeBuffer address = NativeBuffer.allocate(2 + text.length);
        address.bytes().putShort(0, (short) AF_UNIX).put(2, text);
        if (fd < 0 || Libc.bind(fd, address.address(0, address.size()), address.size()) < 0) {
            throw new OsException("listen at " + where, Libc.errno());
        }
    }

    private static byte[] zeroEnded(String path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** The next message, if one comes within this time. */
    public Optional<String> receive(long millis) throws IOException {
        NativeBuffer time = NativeBuffer.allocate(16);
        time.bytes().putLong(0, millis / 1_000).putLong(8, millis % 1_000 * 1_000 + 1);
        if (Libc.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, time.address(0, 16), 16) < 0) {
            throw new OsException("SO_RCVTIMEO", Libc.errno());
        }
        long size = Libc.recv(fd, received.address(0, LONGEST), LONGEST, 0);
        if (size < 0 && Libc.errno() == Errno.EAGAIN.number()) {
            return Optional.empty();
        }
        byte[] text = new byte[(int) size];
        received.bytes().get(0, text);
        return Optional.of(new String(text, StandardCharsets.UTF_8));
    }

    /** The next message that has this line, others passed over. */
    public String await(String line) throws IOException {
        while (true) {
            String message = receive(30_000).orElseThrow(() -> new IOException("no " + line));
            if (message.lines().anyMatch(line::equals)) {
                return message;
            }
        }
    }

    @Override
    public void close() {
        Libc.close(fd);
    }
}
