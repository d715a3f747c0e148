// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was published last, for sinks whose peers ask for it; nothing once it is older than {@value #INTERVALS} publications:
 * old numbers look like new ones. Thread-safe.
 *
 * @param <T> what is kept of a publication
 */
public final class Newest<T> {
    /** So many times as long as it takes from one publication to the next it is true. */
    public static final int INTERVALS = 3;

    /** Something, and when it came. */
    private record Kept<T>(T value, long nanos) {}

    private final long freshNanos;
    private final LongSupplier nanoClock;
    private final AtomicReference<@Nullable Kept<T>> kept = new AtomicReference<>();

    /**
     * @param publishSeconds time between two publications
     * @param nanoClock monotonic
     */
    public Newest(double publishSeconds, LongSupplier nanoClock) {
        this.freshNanos = (long) (INTERVALS * publishSeconds * TimeUnit.SECONDS.toNanos(1));
        this.nanoClock = nanoClock;
    }

    /** Keeps this from now on, in place of what was there. */
    public void set(T value) {
        kept.set(new Kept<>(value, nanoClock.getAsLong()));
    }

    /** Keeps nothing. */
    public void clear() {
        kept.set(null);
    }

    /** What is there, as long as it is true. */
    public Optional<T> fresh() {
        Kept<T> now = kept.get();
        return now == null || nanoClock.getAsLong() - now.nanos > freshNanos
                ? Optional.empty()
                : Optional.of(now.value);
    }
}
