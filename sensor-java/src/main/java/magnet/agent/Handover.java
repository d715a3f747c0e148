// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue from one thread to one other, in which neither ever waits: what finds no room is the caller's again. Allocates
 * nothing but its slots. Modelled on the FastFlow queue, in which an empty slot is the only thing that both sides look at.
 *
 * @param <T> what is handed over
 */
public final class Handover<T> {
    private final AtomicReferenceArray<@Nullable T> slots;
    /** The giver's alone. */
    private int next;
    /** The taker's alone. */
    private int first;

    /** @param capacity most that is on its way at a time */
    public Handover(int capacity) {
        this.slots = new AtomicReferenceArray<>(capacity);
    }

    /** Hands this over; returns false if there is no room. For one thread. */
    public boolean offer(T item) {
        // Pairs with setRelease in poll(): what the taker did with what lay here is over.
        if (slots.getAcquire(next) != null) {
            return false;
        }
        slots.setRelease(next, item);
        next = next + 1 == slots.length() ? 0 : next + 1;
        return true;
    }

    /** What was handed over first; null if there is nothing. For one thread. */
    public @Nullable T poll() {
        // Pairs with setRelease in offer(): what it points to is seen as the giver left it.
        T item = slots.getAcquire(first);
        if (item == null) {
            return null;
        }
        slots.setRelease(first, null);
        first = first + 1 == slots.length() ? 0 : first + 1;
        return item;
    }
}
