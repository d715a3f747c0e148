// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/** Error numbers of Linux, as far as this program meets them; the same on x86-64 and arm64. */
public enum Errno {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    ESRCH(3, "No such process"),
    EINTR(4, "Interrupted system call"),
    EIO(5, "Input/output error"),
    ENXIO(6, "No such device or address"),
    EBADF(9, "Bad file descriptor"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EBUSY(16, "Device or resource busy"),
    EEXIST(17, "File exists"),
    ENODEV(19, "No such device"),
    ENOTDIR(20, "Not a directory"),
    EISDIR(21, "Is a directory"),
    EINVAL(22, "Invalid argument"),
    ENFILE(23, "Too many open files in system"),
    EMFILE(24, "Too many open files"),
    ENOSPC(28, "No space left on device"),
    ESPIPE(29, "Illegal seek"),
    EPIPE(32, "Broken pipe"),
    ERANGE(34, "Numerical result out of range"),
    ENOSYS(38, "Function not implemented"),
    EILSEQ(84, "Invalid or incomplete multibyte or wide character"),
    EMSGSIZE(90, "Message too long"),
    EPROTONOSUPPORT(93, "Protocol not supported"),
    EOPNOTSUPP(95, "Operation not supported"),
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENOBUFS(105, "No buffer space available"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    /** Any number that is not listed here. */
    UNKNOWN(0, "Unknown error");

    private final int number;
    private final String text;

    Errno(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The constant of a positive error number, {@link #UNKNOWN} if it has none. */
    public static Errno of(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return UNKNOWN;
    }

    /** Says an error number for people: {@code Permission denied (EACCES)}. */
    public static String describe(int number) {
        Errno errno = of(number);
        return errno == UNKNOWN ? "Unknown error (errno " + number + ")" : errno.text + " (" + errno.name() + ")";
    }

    /** The number, positive. */
    public int number() {
        return number;
    }
}
