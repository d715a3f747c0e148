// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The C library by JNA's direct mapping: addresses and sizes are primitive longs, and no call throws. After a
 * result below 0 {@link #errno()} tells the error, if it is asked at once and in the same thread.
 */
final class Libc {
    /** JNA's property of folders to search for libraries. */
    private static final String SEARCH_PATH = "jna.platform.library.path";

    private static final @Nullable String FAILURE = register();

    private Libc() {}

    static native int open(byte[] path, int flags, int mode);

    static native int close(int fd);

    static native long read(int fd, long address, long count);

    static native long write(int fd, long address, long count);

    static native long lseek(int fd, long offset, int whence);

    static native int poll(long pollfds, long count, int timeoutMs);

    static native int eventfd(int initial, int flags);

    static native int socket(int domain, int type, int protocol);

    static native int bind(int fd, long address, int size);

    static native int getsockname(int fd, long address, long size);

    static native int setsockopt(int fd, int level, int option, long value, int size);

    static native long sendto(int fd, long address, long size, int flags, long to, int toSize);

    static native long recv(int fd, long address, long size, int flags);

    static native int isatty(int fd);

    static native int ioctl(int fd, long request, long address);

    static native int getppid();

    static native int kill(int process, int signal);

    static native int getpgid(int process);

    static native String strerror(int number);

    static native int adjtimex(long timex);

    static native int clock_nanosleep(int clock, int flags, long until, long remaining);

    static native int prctl(int option, long second, long third, long fourth, long fifth);

    static native int setitimer(int which, long value, long previous);

    static native int sched_setaffinity(int thread, long size, long mask);

    static native int sched_getaffinity(int thread, long size, long mask);

    static native long syscall(long number, long first, long second);

    static native long syscall(long number, long first, long second, long third, long fourth);

    /** Errno of this thread's last call. */
    static int errno() {
        return Native.getLastError();
    }

    /** Where a direct buffer's memory lies. */
    static long addressOf(ByteBuffer direct) {
        return com.sun.jna.Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    }

    /**
     * Makes sure that the native calls are there. Called before the first of them, so that a library that does
     * not load is one clear error and not a NoClassDefFoundError somewhere later.
     *
     * @throws UncheckedIOException if they are not
     */
    static void require() {
        if (FAILURE != null) {
            throw new UncheckedIOException(FAILURE, new IOException(FAILURE));
        }
    }

    private static @Nullable String register() {
        if (!Platform.isLinux() || !Platform.is64Bit()) {
            return "magnet runs on 64-bit Linux only";
        }
        try {
            // Found by the loader, as by any program. Asked for a short name, JNA runs ldconfig for the folders to
            // search.
            if (System.getProperty(SEARCH_PATH) == null) {
                System.setProperty(SEARCH_PATH, "");
            }
            Native.register(Libc.class, "libc.so.6");
            return null;
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            return "JNA's native library cannot be loaded: " + e.getMessage();
        }
    }
}
