// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import magnet.magnetfs.CollectorCounter;

/** Reads records and hands them on. {@link #stop} is for any thread, all else for one. */
public interface RecordSource extends AutoCloseable {

    /**
     * Waits for records, at most so long, and hands them on.
     *
     * @return how many
     */
    int doWork(int longestWaitMillis) throws IOException;

    /** Hands on what was logged until shortly before now, without a wait for enough of it. */
    int readNow() throws IOException;

    /** The same after nobody has read for long. Ends also if events come as fast as they are handed on. */
    void catchUp() throws IOException;

    /** Bytes that there can be at most of each CPU now. Asks the kernel: for the thread that does. */
    long ringBytes();

    /**
     * Hands on everything that is there now. More may go on coming without end, if somebody else logs there: of that perhaps
     * some.
     *
     * @param ringBytes what {@link #ringBytes} gave since all that is wanted was logged
     */
    int drain(long ringBytes) throws IOException;

    /** Ends a wait, and all waits to come. */
    void stop();

    /** Whether the buffer was removed. */
    boolean hasEnded();

    /** One of its counts since start. */
    long count(CollectorCounter counter);

    /** The longest that reading and handing on took since the last call, the wait apart, in nanoseconds. */
    long takeLongestCycle();

    /** The longest since the last call that nobody looked at what there is, in nanoseconds. */
    long takeLongestAway();

    @Override
    void close() throws IOException;
}
