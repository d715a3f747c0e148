// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.util.function.BooleanSupplier;

/** Signals to other processes; the same numbers on x86-64 and arm64. */
public enum ProcessSignal {
    KILL(9),
    CONT(18),
    STOP(19);

    private static final int SYS_PIDFD_SEND_SIGNAL = 424;
    private static final int SYS_PIDFD_OPEN = 434;

    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    /**
     * Sends it to a process, by a descriptor: the number cannot become another process's in between.
     *
     * @param meant whether the process that has the number now is the one that is meant
     * @return false if it has ended, or is another one
     * @throws OsException if it may not be sent
     */
    public boolean send(int process, BooleanSupplier meant) throws OsException {
        return send(number, process, meant);
    }

    private static boolean send(int signal, int process, BooleanSupplier meant) throws OsException {
        Libc.require();
        int fd = (int) Libc.syscall(SYS_PIDFD_OPEN, process, 0);
        if (fd < 0) {
            return ended(process, "pidfd_open");
        }
        try {
            return meant.getAsBoolean()
                    && (Libc.syscall(SYS_PIDFD_SEND_SIGNAL, fd, signal, 0, 0) == 0
                            || ended(process, "pidfd_send_signal"));
        } finally {
            Libc.close(fd);
        }
    }

    private static boolean ended(int process, String call) throws OsException {
        int errno = Libc.errno();
        if (errno == Errno.ESRCH.number()) {
            return false;
        }
        throw new OsException(call + " " + process, errno);
    }
}
