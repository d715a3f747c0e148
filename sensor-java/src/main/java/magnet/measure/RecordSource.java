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

    /** Hands on everything that is there, until nothing comes any more. */
    int drain() throws IOException;

    /** Hands on everything that is there now, where more goes on coming, of which perhaps some. */
    int drainWhatIsThere() throws IOException;

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
