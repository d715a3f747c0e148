// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;

/**
 * The frame of a command that reads events as they come, from a buffer of its own: until there were enough, the time is over
 * or the user interrupts. For one run.
 */
public final class LiveReading {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** The longest sleep. */
    private static final long MOST_MILLIS = 1_000;

    private final World world;
    private final String buffer;

    /**
     * A frame.
     *
     * @param purpose what the buffer's name begins with
     */
    public LiveReading(World world, String purpose) {
        this.world = world;
        this.buffer = purpose + "-" + ProcessHandle.current().pid();
    }

    /** Reads once. */
    @FunctionalInterface
    public interface Turn {
        /**
         * Does it.
         *
         * @param now by the world's clock
         * @param left nanoseconds until the time is over
         */
        void take(long now, long left) throws IOException;
    }

    /** Makes the buffer, of so many bytes for each CPU. */
    public OwnBuffer buffer(MagnetControl control, ModuleInfo module, long bytes) throws IOException {
        return OwnBuffer.create(control, module, world.buffers(), buffer, bytes);
    }

    /**
     * Lets the user end it.
     *
     * @param progress grows while events are read or written; points that end count, too
     */
    public void endsAtInterrupt(BufferReading reading, LongSupplier progress) {
        endsAtInterrupt(reading, progress, () -> unread(0));
    }

    /** The same, of which more is left than {@link #unread} says. */
    public void endsAtInterrupt(BufferReading reading, LongSupplier progress, Supplier<String> left) {
        world.interruption()
                .onInterrupt(
                        new Interruption.Ending(reading::stop, () -> progress.getAsLong() + reading.ended(), left));
    }

    /**
     * What is left in the buffer, for the line that gives the command up. For any thread.
     *
     * @param taken bytes that were read, and not brought to where they belong
     */
    public String unread(long taken) {
        return Unread.of(world, buffer, taken);
    }

    /**
     * Takes turns.
     *
     * @param began when the time began, by the world's clock
     * @param longest nanoseconds
     * @param enough whether there were enough events
     * @return whether it was the time that ended it
     */
    public boolean read(BufferReading reading, long began, long longest, BooleanSupplier enough, Turn turn)
            throws IOException {
        while (!enough.getAsBoolean() && !reading.isStopped() && !reading.hasEnded()) {
            long now = world.clock().nanos();
            long left = longest - (now - began);
            if (left <= 0) {
                return true;
            }
            turn.take(now, left);
        }
        return false;
    }

    /** How long a turn may sleep where so much is left, in milliseconds. */
    public static long sleepMillis(long leftNanos) {
        return Math.min(MOST_MILLIS, leftNanos / NANOS_PER_MILLI + 1);
    }

    /** Says it, if there is anything. */
    public void tell(Optional<String> line) throws IOException {
        if (line.isPresent()) {
            world.tell(line.get());
        }
    }

    /** Says what came of it where the buffer went before its command ended it, such as "3 events printed". */
    public void tellRemoved(String done) throws IOException {
        world.tell(done + ", then somebody else removed the buffer");
    }
}
