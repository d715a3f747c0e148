// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

/** What a number of a record stands for, and so how people read it. */
enum ValueKind {
    /** A number without a sign. */
    NUMBER,
    /** A number that may be negative. */
    SIGNED,
    /** A number that is read in hex. */
    HEX,
    /** A time in nanoseconds. */
    NANOS,
    /** The id of a process. */
    PROCESS,
    /** The id of a thread. */
    THREAD,
    /** The id of an event, which its point gives its name. */
    POINT,
    /** The number of a network device. */
    INTERFACE,
    /** The number of a disk. */
    DISK,
    /** A port; 0 is none. */
    PORT,
    /** The number of a text in a pool. */
    TEXT,
    /** The number of an address in a pool. */
    ADDRESS;

    /** Whether it stands for something that has no size. */
    boolean isText() {
        return this == TEXT || this == ADDRESS;
    }
}
