// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

import java.util.List;

/**
 * Turns events of some points into metrics of its own.
 *
 * <p>A provider is named in {@code META-INF/services/magnet.spi.Handler}, and has a public constructor without
 * parameters, which does nothing dear: it is called also where the handler is not used.
 *
 * <p><b>Threads.</b> All methods are called from one thread, which all handlers of the installation share and the
 * built-in ones do not: who blocks or computes long holds up these, and in the end their events are dropped and counted.
 *
 * <p><b>Errors.</b> Whatever a method throws switches the handler off: it is logged once and counted
 * ({@code magnet_handlers_off_count}), its metrics are published no more, and everything else goes on. It is made anew
 * when its jar or the configuration of the handlers changes.
 *
 * <p><b>Life.</b> {@link #begin}, then {@link #onEvent}, {@link #onLoss} and {@link #onNewEpoch} in any order, then
 * {@link #end}. An object is used once.
 */
public interface Handler {
    /**
     * Its name, the first part of the names of its metrics after {@code magnet_}: lower case letters, digits and single
     * {@code _}, a letter first, at most 32 characters, and none of magnet's own.
     */
    String name();

    /** The points whose events it wants, at most eight; {@link Event#point()} is an index into this list. */
    List<Point> points();

    /**
     * The points are known, and events are about to come.
     *
     * @param setup where to ask for fields and for metrics; of no use afterwards
     */
    void begin(HandlerSetup setup);

    /**
     * An event of one of its points that passed the rules of the point. Called often: it should not allocate.
     *
     * @param event moves on as soon as this method returns, so keep values, not it
     */
    void onEvent(Event event);

    /**
     * Events were dropped for want of room: which ones, and of which point, is not known. What may span the loss should
     * not be measured. Also called, with 1, where bytes were read that are no record: what they told of is not known.
     *
     * @param cpu where they were dropped
     * @param events how many, at least; 0 where {@link #onNewEpoch} calls it: nothing was lost
     */
    default void onLoss(int cpu, long events) {
        // Counts are too low, which magnet_handlers_lost_rate says.
    }

    /**
     * The timer jumped or began anew, as it does while a machine is suspended. What {@link Event#timer} gives from now on is
     * not to be compared with what it gave before, and what has begun should not be measured to its end. Nothing was lost.
     * Who does not override it is told by {@link #onLoss}, of no event, for each CPU: what may span a loss is not measured
     * either.
     *
     * @param cpus no CPU has this number or a higher one
     */
    default void onNewEpoch(int cpus) {
        for (int cpu = 0; cpu < cpus; cpu++) {
            onLoss(cpu, 0);
        }
    }

    /** No more events will come; also called after another method has thrown. */
    default void end() {
        // Most have nothing to give back.
    }
}
