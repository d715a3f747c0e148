// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import magnet.control.HitCounts;
import magnet.control.Selection;

/**
 * Subscribes points into one buffer. Each call asks the kernel and may take seconds on a busy machine, so that it is the
 * {@link Conductor}'s while there is one. For one thread at a time.
 */
public interface PointControl {
    /**
     * What became of a request to subscribe.
     *
     * @param id number of the subscription
     * @param gaps functions of the point that this kernel does not have, for a log line; empty if it has them all
     */
    record Subscription(long id, String gaps) {}

    /**
     * Subscribes a point.
     *
     * @param selection which of its events
     * @throws PointException if this kernel does not have it, or refuses it
     * @throws IOException if nothing at all can be subscribed
     */
    Subscription subscribe(String point, Selection selection) throws PointException, IOException;

    /**
     * Lets a subscription log other events of its point.
     *
     * @param selection what is empty in it stays as it is
     * @throws PointException if the kernel refuses
     */
    default void change(long id, Selection selection) throws PointException, IOException {
        throw new PointException("subscriptions cannot be changed here");
    }

    /**
     * Ends a subscription; gives its final counters by CPU.
     *
     * @throws IOException if they cannot be had any more
     */
    List<HitCounts> unsubscribe(long id) throws IOException;

    /** What the subscriptions into this buffer have come to so far, by their numbers. Some may not be told of. */
    default Map<Long, HitCounts> counts() throws IOException {
        return Map.of();
    }

    /**
     * What the kernel does that makes figures false, though points are subscribed.
     *
     * @param clockUnstable whether it called the TSC unstable that is the records' timer
     * @param blindPoints how many of the points that are subscribed here see nothing, because {@code kernel.ftrace_enabled}
     *     or debugfs's {@code kprobes/enabled} is 0
     */
    record Doubts(boolean clockUnstable, int blindPoints) {
        /** There are none. */
        public static final Doubts NONE = new Doubts(false, 0);
    }

    /** What there is to doubt now; none if that cannot be asked. */
    default Doubts doubts() {
        return Doubts.NONE;
    }
}
