// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.time.Duration;
import java.util.Optional;

/**
 * Work that is done turn by turn on a thread of its own, which {@link AgentRunner} has: it catches all that a turn throws,
 * errors of the JVM too, counts it, says it once, and goes on or ends as the agent declares. All methods but where it is
 * said are called on that thread. Modelled on Agrona's {@code Agent}, but a turn may wait: {@link #wakeUp} ends that.
 */
public interface Agent {
    /** What {@link #doWork} returns when there will be nothing to do any more. */
    int OVER = -1;

    /** What becomes of an agent one of whose turns has failed. */
    enum OnFailure {
        /** The next turn comes after a while, which is longer each time; what the agent holds stays as it is. */
        GO_ON,
        /** It is closed, and has failed: whoever needs it makes another, or the watchdog ends the process. */
        END
    }

    /** Its name: that of its thread, and in log lines. For any thread. */
    String roleName();

    /** What becomes of it when a turn fails. For any thread. */
    default OnFailure onFailure() {
        return OnFailure.GO_ON;
    }

    /** The longest that a turn may take before the agent counts as hung; empty if that depends on others. For any thread. */
    default Optional<Duration> longestTurn() {
        return Optional.empty();
    }

    /**
     * Before the first turn. Tried again if it fails and the agent goes on at failures.
     *
     * @throws Exception counts as a failure
     */
    default void onStart() throws Exception {}

    /**
     * One turn. It may wait until there is something to do, or {@link #wakeUp} is called.
     *
     * @return how much was done, 0 if nothing; {@link #OVER} if that was the last turn
     * @throws Exception counts as a failure
     */
    int doWork() throws Exception;

    /** Ends the wait of a turn: the agent shall come to its end. For any thread. */
    default void wakeUp() {}

    /** It has ended by a failure, and {@link AgentRunner#failure} says which; after {@link #onClose}. */
    default void onFailed() {}

    /**
     * After the last turn, however it ended, also if {@link #onStart} failed: gives back what the agent holds.
     *
     * @throws Exception counts as a failure
     */
    default void onClose() throws Exception {}
}
