// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/**
 * A flag that one thread raises and another one's {@link Poller} sees: the way to stop a thread that sleeps in
 * poll(2), which takes no notice of interrupts. Thread-safe.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;

    private final NativeBuffer one = NativeBuffer.allocate(Long.BYTES);
    private final NativeBuffer read = NativeBuffer.allocate(Long.BYTES);
    private int fd;

    private EventFd(int fd) {
        this.fd = fd;
        one.bytes().putLong(0, 1);
    }

    /** A flag that is down. */
    public static EventFd create() throws OsException {
        Libc.require();
        int fd = Libc.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (fd < 0) {
            throw new OsException("eventfd", Libc.errno());
        }
        return new EventFd(fd);
    }

    /** Raises the flag. Does nothing once it is closed. */
    public synchronized void raise() {
        if (fd >= 0) {
            // Fails only when the counter is full, and then the flag is up.
            long unused = Libc.write(fd, one.address(0, Long.BYTES), Long.BYTES);
        }
    }

    /**
     * Lowers the flag.
     *
     * @return whether it was up
     */
    public synchronized boolean lower() {
        return fd >= 0 && Libc.read(fd, read.address(0, Long.BYTES), Long.BYTES) == Long.BYTES;
    }

    int fd() {
        return fd;
    }

    @Override
    public synchronized void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }
}
