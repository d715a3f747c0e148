// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

/** An event as handlers of MUSE see it. Used again for the next one; for the server's thread. */
final class MuseEvent {
    /** A program sends on a socket. */
    static final int SOCKET_SEND = 3;

    /** A program has received from a socket. */
    static final int SOCKET_RECEIVE = 4;

    /** A thread gets a CPU. */
    static final int CONTEXT_IN = 258;

    /** A thread leaves its CPU. */
    static final int CONTEXT_OUT = 259;

    /** What {@link #number} may be besides magnet's own ids, none of which has such a number. */
    int number;

    /** The process that it is about. */
    long process;

    /** The lower half of the abstract id: for events of sockets the socket's, for 258 and 259 the thread's. */
    long id;

    /** Whether {@link #id} is a socket's. */
    boolean hasSocket;

    /** The CPU that it happened on. */
    int cpu;

    /** When it happened, in ticks. */
    long timer;

    /** Bytes that it is about; 0 if it is not about bytes. */
    long size;

    /** Whether it is about a socket of TCP. */
    boolean isTcp;

    /** Whether clients know it by a number of MUSE's. */
    static boolean isNamed(int number) {
        return isOfSocket(number) || isSwitch(number);
    }

    /** Whether it is one of the two of sockets. */
    static boolean isOfSocket(int number) {
        return number == SOCKET_SEND || number == SOCKET_RECEIVE;
    }

    /** Whether it is one of the two of the scheduler. */
    static boolean isSwitch(int number) {
        return number == CONTEXT_IN || number == CONTEXT_OUT;
    }
}
