// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

/**
 * Is told what an {@link Adaptation} finds.
 *
 * <p><b>Threads.</b> All methods are called from the adaptation's one thread, never two at a time, and while one runs no
 * event is read: those of some milliseconds find room in the buffer, what is more is lost and told. So a listener that
 * waits for anything hands it to a thread of its own. It may call all methods of the adaptation, {@link Adaptation#close}
 * too.
 *
 * <p>One that throws ends the adaptation; {@link #onEnd} is then told so.
 */
public interface AdaptationListener {
    /**
     * A condition begins to hold, or ends. In the intervals between nothing is said.
     *
     * @param holds whether it does from now on
     * @param interval whose end this is at
     */
    void onChange(Condition condition, boolean holds, Interval interval);

    /** An interval has ended; called after its changes. {@link Interval#isLossy()} tells if its values are too low. */
    default void onInterval(Interval interval) {}

    /**
     * It ended before it was closed: nothing holds any more, and nothing else will be said.
     *
     * @param why in one line, such as that the module was unloaded
     */
    default void onEnd(String why) {}
}
