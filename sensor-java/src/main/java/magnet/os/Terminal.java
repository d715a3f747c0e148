// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.util.Optional;

/** The terminal, if there is one. */
public final class Terminal {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    /** The same on x86-64 and arm64; see ioctl_tty(2). */
    private static final long TIOCGWINSZ = 0x5413;
    /** {@code struct winsize}: rows, columns, and two that nobody uses; 16 bits each. */
    private static final int WINSIZE_BYTES = 8;

    private static final int WINSIZE_COLUMNS = 2;

    private Terminal() {}

    /**
     * The size, as it is now, of the terminal that the standard output is shown on; empty if it is none, or one that
     * only prints (TERM=dumb).
     */
    public static Optional<TerminalSize> outputSize() {
        return sizeOf(STDOUT);
    }

    /** The same of the terminal that the standard error is shown on. */
    public static Optional<TerminalSize> errorSize() {
        return sizeOf(STDERR);
    }

    private static Optional<TerminalSize> sizeOf(int descriptor) {
        Libc.require();
        if (Libc.isatty(descriptor) != 1 || "dumb".equals(System.getenv("TERM"))) {
            return Optional.empty();
        }
        NativeBuffer winsize = NativeBuffer.allocate(WINSIZE_BYTES);
        if (Libc.ioctl(descriptor, TIOCGWINSZ, winsize.address(0, WINSIZE_BYTES)) < 0) {
            return Optional.of(TerminalSize.USUAL);
        }
        int rows = Short.toUnsignedInt(winsize.bytes().getShort(0));
        int columns = Short.toUnsignedInt(winsize.bytes().getShort(WINSIZE_COLUMNS));
        return Optional.of(rows == 0 || columns == 0 ? TerminalSize.USUAL : new TerminalSize(columns, rows));
    }
}
