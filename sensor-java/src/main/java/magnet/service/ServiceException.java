// SPDX-License-Identifier: Apache-2.0
package magnet.service;

/** magnetd cannot start or go on; the message says why in one line, and the code what to tell the caller. */
public final class ServiceException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    ServiceException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    ServiceException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The message of the cause stands for itself. */
    static ServiceException of(ExitCode exitCode, Exception cause) {
        String message = cause.getMessage();
        return new ServiceException(exitCode, message == null ? cause.toString() : message, cause);
    }

    /** How the process shall end. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
