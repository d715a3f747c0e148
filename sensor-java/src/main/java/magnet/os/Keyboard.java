// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.util.Optional;

/**
 * The keys of the terminal that the standard input is, one by one as they are pressed, and not shown. Ctrl-C and Ctrl-Z
 * do what they always do. {@link #read} is for one thread, the others for any.
 *
 * <p>{@code struct termios} of ioctl_tty(2) is four flag words of 32 bits, the last of them {@code c_lflag}, a byte, and 19
 * control characters; the same on x86-64 and arm64.
 */
public final class Keyboard implements AutoCloseable {
    private static final int STDIN = 0;
    private static final long TCGETS = 0x5401;
    private static final long TCSETS = 0x5402;
    private static final long TIOCGPGRP = 0x540F;
    private static final int TERMIOS_BYTES = 36;
    private static final int LOCAL_FLAGS = 12;
    private static final int CONTROL_CHARACTERS = 17;
    private static final int VTIME = 5;
    private static final int VMIN = 6;
    private static final int ICANON = 0x2;
    private static final int ECHO = 0x8;

    private final NativeBuffer before = NativeBuffer.allocate(TERMIOS_BYTES);
    private boolean listening;
    private boolean closed;

    private Keyboard() {}

    /** Empty if the standard input is no terminal, or this process is not in its foreground. */
    public static Optional<Keyboard> open() {
        Libc.require();
        Keyboard keyboard = new Keyboard();
        return keyboard.listen() ? Optional.of(keyboard) : Optional.empty();
    }

    /**
     * Lets keys come one by one, after {@link #pause} or when somebody else has set the terminal up otherwise; for any
     * thread.
     *
     * @return false if this process is not in the terminal's foreground, or this is closed: the terminal is left alone
     */
    public synchronized boolean listen() {
        NativeBuffer now = NativeBuffer.allocate(TERMIOS_BYTES);
        if (closed || !inForeground() || (!listening && !ioctl(TCGETS, before)) || !ioctl(TCGETS, now)) {
            return false;
        }
        int flags = now.bytes().getInt(LOCAL_FLAGS);
        now.bytes().putInt(LOCAL_FLAGS, flags & ~(ICANON | ECHO));
        now.bytes().put(CONTROL_CHARACTERS + VTIME, (byte) 0);
        now.bytes().put(CONTROL_CHARACTERS + VMIN, (byte) 1);
        listening = ioctl(TCSETS, now);
        return listening;
    }

    /** Lets the terminal be as it was, unless others have it now; for any thread. */
    public synchronized void pause() {
        if (listening && inForeground()) {
            ioctl(TCSETS, before);
        }
        listening = false;
    }

    /** Whoever is not, would be stopped when it reads. */
    private static boolean inForeground() {
        NativeBuffer group = NativeBuffer.allocate(Integer.BYTES);
        return ioctl(TIOCGPGRP, group) && group.bytes().getInt(0) == Libc.getpgid(0);
    }

    private static boolean ioctl(long request, NativeBuffer argument) {
        return Libc.ioctl(STDIN, request, argument.address(0, argument.size())) == 0;
    }

    /** Waits for a key. Returns its byte, the first of several if it has more; -1 when the terminal is gone. */
    public int read() throws IOException {
        return System.in.read();
    }

    /** Lets the terminal be as it was, for good. */
    @Override
    public synchronized void close() {
        pause();
        closed = true;
    }
}
