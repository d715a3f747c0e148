// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.time.ZoneId;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import magnet.record.ClockModel;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Words;
import magnet.trace.NamingEvent;
import org.jspecify.annotations.Nullable;

/**
 * Takes records of a {@link DumpPlan}'s points, and those that say what threads are called, and shows the packets: as lines,
 * as JSON, or in a pcapng file. What cannot be written is told by {@link #flush}. For one thread.
 */
public final class PacketDump implements RecordHandler {
    /** Gets lines. */
    public interface Lines {
        /** A line, without its end. */
        void line(CharSequence text) throws IOException;

        /** Brings them to where they belong. */
        void flush() throws IOException;
    }

    /**
     * Where the packets are seen.
     *
     * @param clock places the records in time
     * @param isTsc whether their timers count the TSC, and not nanoseconds
     * @param ticksPerMilli of their timers
     * @param words for reasons to drop a packet, and for protocols
     * @param interfaces of this network namespace
     * @param threads what they are called
     * @param owners whose a process is, as of the record that is handed over; empty if that is not known
     */
    public record Scene(
            ClockModel clock,
            boolean isTsc,
            long ticksPerMilli,
            Words words,
            Interfaces interfaces,
            SeenThreads threads,
            IntFunction<String> owners) {}

    /**
     * How much is shown.
     *
     * @param snapBytes bytes of each packet, from its network header on
     * @param most packets
     * @param allNamespaces whether packets of other network namespaces are
     */
    public record Extent(int snapBytes, long most, boolean allNamespaces) {}

    private final PacketCapture capture;
    private final @Nullable FileSink file;
    private final SeenThreads threads;

    private PacketDump(Scene scene, DumpPlan plan, Extent extent, PacketSink sink, @Nullable FileSink file) {
        this.file = file;
        this.threads = scene.threads();
        this.capture = new PacketCapture(
                new PacketCapture.Settings(
                        plan.remaining(),
                        extent.snapBytes(),
                        plan.device(),
                        extent.allNamespaces() ? 0 : scene.interfaces().namespace(),
                        extent.most()),
                new Journeys(scene.ticksPerMilli(), scene.owners()),
                scene.threads(),
                scene.owners(),
                sink);
    }

    /** Shows packets as lines. */
    public static PacketDump toLines(Scene scene, DumpPlan plan, Extent extent, Lines out, ZoneId zone) {
        return toLines(scene, plan, extent, out, zone, LineStyle.USUAL);
    }

    /** Shows packets as lines, in a style. */
    public static PacketDump toLines(
            Scene scene, DumpPlan plan, Extent extent, Lines out, ZoneId zone, LineStyle style) {
        LineSink sink = new LineSink(
                out,
                scene.interfaces(),
                scene.clock(),
                zone,
                style,
                new PacketText(scene.words(), style.isQuiet(), style.isVerbose()),
                journeyText(scene, plan));
        return new PacketDump(scene, plan, extent, sink, null);
    }

    /** Shows packets as JSON, an object a line. */
    public static PacketDump toJson(Scene scene, DumpPlan plan, Extent extent, Lines out) {
        return new PacketDump(scene, plan, extent, new JsonSink(out, scene, plan.journeys()), null);
    }

    /** Shows packets in a file, whose section has begun. */
    public static PacketDump toFile(Scene scene, DumpPlan plan, Extent extent, PcapngWriter writer) throws IOException {
        FileSink sink = new FileSink(
                writer, scene.interfaces(), scene.clock(), journeyText(scene, plan), extent.snapBytes(), plan.text());
        OptionalInt device = plan.device();
        if (device.isPresent()) {
            sink.addInterface(device.getAsInt());
        }
        return new PacketDump(scene, plan, extent, sink, sink);
    }

    private static JourneyText journeyText(Scene scene, DumpPlan plan) {
        return new JourneyText(
                scene.isTsc() ? "tsc" : "monotonic", scene.clock(), scene.threads(), scene.words(), plan.journeys());
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        threads.learn(record);
        if (!NamingEvent.isOne(record.event())) {
            capture.onRecord(record);
        }
    }

    @Override
    public void onGap(int cpu) {
        threads.onGap(cpu);
        capture.onGap(cpu);
    }

    /** Shows all that are waiting: the clock is still that of their epoch, and what follows is not of their journeys. */
    @Override
    public void onNewEpoch(int cpus) {
        capture.onNewEpoch(cpus);
    }

    /**
     * Shows packets whose journey has ended, or that have waited long enough. To be called after each reading.
     *
     * @param begunNanos CLOCK_MONOTONIC when the reading began that handed on the last records
     * @param endedNanos when it ended
     */
    public void release(long begunNanos, long endedNanos) {
        capture.release(begunNanos, endedNanos);
    }

    /** Shows all that are waiting: no more records come. */
    public void releaseAll() {
        capture.releaseAll();
    }

    /** Whether there were enough packets, or no more can be written. */
    public boolean isDone() {
        return capture.isDone();
    }

    /** Packets that were shown. */
    public long shown() {
        return capture.shown();
    }

    /** Whether packets wait for the end of their journey. */
    public boolean isWaiting() {
        return capture.waiting() > 0;
    }

    /** Brings what was shown to where it belongs. */
    public void flush() throws IOException {
        capture.flush();
    }

    /**
     * Writes down the counts, where there is a file.
     *
     * @param startNs when the capture began, since 1970
     * @param endNs when it ended
     * @param dropped packets that were lost
     */
    public void finish(long startNs, long endNs, long dropped) throws IOException {
        if (file != null) {
            file.finish(startNs, endNs, dropped);
        }
    }
}
