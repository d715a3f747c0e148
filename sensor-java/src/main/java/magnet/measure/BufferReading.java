// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.agent.AgentHealth;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.magnetfs.BatchSink;
import magnet.magnetfs.CollectorCounter;
import magnet.magnetfs.CollectorSettings;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;

/**
 * A buffer of one's own, the points that log into it, and its reader, from beginning to end: for whoever wants events as
 * they come. {@link #stop}, {@link #isStopped}, {@link #ended} and {@link #count} are for any thread, all else for one.
 */
public final class BufferReading implements AutoCloseable {
    private final OwnBuffer buffer;
    private final CollectorSource source;
    private final Reading reading;
    private final Subscriptions subscriptions;
    /** What nobody has asked for, and goes along. */
    private final Subscriptions accompanying;

    private BufferReading(
            OwnBuffer buffer,
            CollectorSource source,
            Reading reading,
            Subscriptions subscriptions,
            Subscriptions accompanying) {
        this.buffer = buffer;
        this.source = source;
        this.reading = reading;
        this.subscriptions = subscriptions;
        this.accompanying = accompanying;
    }

    /**
     * Becomes the reader of a buffer that no point logs into yet.
     *
     * @param thread name of the thread that asks the kernel meanwhile
     * @param flags of the subscriptions to come
     */
    public static BufferReading open(
            OwnBuffer buffer,
            String thread,
            RecordHandler handler,
            ClockModel clockModel,
            CollectorSettings settings,
            Set<Flag> flags)
            throws IOException {
        CollectorSource source = buffer.read(handler, clockModel, buffer.fitted(settings));
        Reading reading = new Reading(thread, source, AgentHealth.unheard());
        return new BufferReading(
                buffer,
                source,
                reading,
                new Subscriptions(buffer.points(List.of(), flags)),
                new Subscriptions(buffer.points(List.of(), Set.of())));
    }

    /** Lets somebody have every batch as it is read. To be called before anything is. */
    public void copyTo(BatchSink batches) {
        source.collector().copyTo(batches);
    }

    /**
     * Subscribes points, one after the other, and reads meanwhile.
     *
     * @throws IOException if one of them cannot be
     */
    public void subscribe(Map<String, Selection> points) throws IOException {
        reading.meanwhile(() -> {
            for (Map.Entry<String, Selection> point : points.entrySet()) {
                subscriptions.add(point.getKey(), point.getValue());
            }
            return true;
        });
    }

    /**
     * Subscribes points that go along with those that are wanted, with every event and no flags: they have an account of
     * their own, {@link #accompanying}, and one that is refused keeps nobody from reading. To be called before {@link #subscribe}, so that nothing of these is in
     * the buffer without them.
     *
     * @return why points were refused, of each that was
     * @throws IOException if nothing at all can be subscribed
     */
    public List<String> accompany(Collection<String> points) throws IOException {
        return reading.meanwhile(() -> {
            List<String> refused = new ArrayList<>();
            for (String point : points) {
                try {
                    accompanying.add(point, Selection.NONE);
                } catch (PointException e) {
                    refused.add(point + ": " + e.getMessage());
                }
            }
            return refused;
        });
    }

    /**
     * Does with the subscriptions what asks the kernel, and reads meanwhile.
     *
     * @throws IOException if the kernel refuses
     */
    public void change(Change change) throws IOException {
        reading.change(() -> {
            change.make(subscriptions);
            return true;
        });
    }

    /** Changes what is subscribed, in another thread than the reader's. */
    @FunctionalInterface
    public interface Change {
        /** Does it. */
        void make(Subscriptions subscriptions) throws IOException, PointException;
    }

    /** Reads for a while, at most so long; gives how many records were handed on. */
    public int work(long longestWaitMillis) throws IOException {
        return reading.work(longestWaitMillis);
    }

    /** Hands on what was logged until shortly before now. */
    public void catchUp() throws IOException {
        source.catchUp();
    }

    /** Hands on everything that is there now, where more goes on coming, of which perhaps some. */
    public void drainWhatIsThere() throws IOException {
        source.drainWhatIsThere();
    }

    /**
     * Ends the points, hands on all that they logged, and removes the buffer.
     *
     * @return what became of their hits
     */
    public HitCounts end() throws IOException {
        reading.end(() -> {
            subscriptions.endAll();
            accompanying.endAll();
            return true;
        });
        if (subscriptions.untold().isPresent()) {
            throw subscriptions.untold().get();
        }
        buffer.remove();
        return subscriptions.total();
    }

    /** The account of the points, between calls. */
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /** What became of the hits of the points that go along, as far as they have ended. */
    public HitCounts accompanying() {
        return accompanying.total();
    }

    /** How many points have ended. */
    public int ended() {
        return subscriptions.ended() + accompanying.ended();
    }

    /** Ends a wait, and all waits to come. */
    public void stop() {
        source.stop();
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return source.collector().isStopped();
    }

    /** Whether the buffer was removed, and all that was in it has been handed on. */
    public boolean hasEnded() {
        return source.hasEnded();
    }

    /** One of the collector's counts. */
    public long count(CollectorCounter counter) {
        return source.count(counter);
    }

    @Override
    public void close() throws IOException {
        reading.close();
        source.close();
    }
}
