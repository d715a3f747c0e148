// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A special file that is read without blocking, polled, and told what to do by lseek.
 *
 * <p>Belongs to one thread; only {@link #seek(long)} and {@link #tell(long)} may be called from others, and not
 * while it is being closed.
 */
public final class DataFile implements AutoCloseable {
    /** Returned by {@link #read} when there is nothing to read yet. */
    public static final int WOULD_BLOCK = -1;

    private static final int O_RDONLY = 0;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int SEEK_SET = 0;
    private static final int SEEK_CUR = 1;

    private final Path path;
    private int fd;

    private DataFile(Path path, int fd) {
        this.path = path;
        this.fd = fd;
    }

    /** Opens a file for reading. */
    public static DataFile open(Path path) throws OsException {
        return open(path, O_RDONLY);
    }

    /** The same for other purposes. */
    static DataFile open(Path path, int access) throws OsException {
        Libc.require();
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        int fd = Libc.open(name, access | O_NONBLOCK | O_CLOEXEC, 0);
        if (fd < 0) {
            throw new OsException("open " + path, Libc.errno());
        }
        return new DataFile(path, fd);
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** The file descriptor; -1 once closed. */
    int fd() {
        return fd;
    }

    /**
     * Reads what is there, without waiting.
     *
     * @return bytes read; 0 at the end of the file; {@link #WOULD_BLOCK}
     */
    public int read(NativeBuffer buffer, int offset, int length) throws OsException {
        long address = buffer.address(offset, length);
        while (true) {
            long count = Libc.read(fd, address, length);
            if (count >= 0) {
                return (int) count;
            }
            int errno = Libc.errno();
            if (errno == Errno.EAGAIN.number()) {
                return WOULD_BLOCK;
            }
            if (errno != Errno.EINTR.number()) {
                throw new OsException("read " + path, errno);
            }
        }
    }

    /** {@code lseek(fd, offset, SEEK_SET)}. */
    public long seek(long offset) throws OsException {
        return seek(offset, SEEK_SET);
    }

    /** {@code lseek(fd, offset, SEEK_CUR)}. */
    public long tell(long offset) throws OsException {
        return seek(offset, SEEK_CUR);
    }

    private long seek(long offset, int whence) throws OsException {
        long position = Libc.lseek(fd, offset, whence);
        if (position < 0) {
            throw new OsException("lseek " + path, Libc.errno());
        }
        return position;
    }

    @Override
    public void close() {
        if (fd >= 0) {
            Libc.close(fd);
            fd = -1;
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
