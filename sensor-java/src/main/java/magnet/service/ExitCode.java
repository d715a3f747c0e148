// SPDX-License-Identifier: Apache-2.0
package magnet.service;

/** How magnetd ends. 3 is the JVM's: memory has run out, and systemd starts magnetd again. */
public enum ExitCode {
    /** It was told to stop, or had nothing to do but to answer. */
    OK(0),
    /** Something that should not happen; the log has the details. */
    INTERNAL(1),
    /** The command line is wrong. */
    USAGE(2),
    /** magnet.conf or gmond.conf cannot be used. */
    CONFIGURATION(4),
    /** The kernel module is not loaded, or speaks another ABI. */
    NO_MODULE(5),
    /** Not enough privileges to control the module or to open its buffers. */
    NO_PERMISSION(6),
    /** The kernel module was unloaded meanwhile. */
    MODULE_GONE(7),
    /** Another magnetd runs. */
    ALREADY_RUNNING(8);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    /** The process's exit code. */
    public int code() {
        return code;
    }
}
