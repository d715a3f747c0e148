// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import magnet.control.BufferInfo;
import magnet.control.ControlException;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.magnetfs.BatchSink;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.OwnBuffer;
import magnet.os.Errno;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.Subsystem;
import magnet.trace.Overwritten;
import magnet.trace.ProcessNames;
import magnet.trace.TraceOwners;
import magnet.trace.TraceWriter;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves what flight recorders hold. The kernel makes a snapshot of one at once, and the recorder goes on, empty, while the
 * snapshot is read and written as a trace; then the snapshot is removed. It ends with the control socket, too. For one thread.
 */
public final class RecorderSave {
    /**
     * Where to look.
     *
     * @param buffers finds data files
     * @param processes the folder with a folder for each process
     * @param format the module's control file {@code format}; where it can't be read, the ABI describes the records
     * @param root of all files, where cgroups are looked for
     */
    public record Machine(OwnBuffer.Finder buffers, Path processes, Path format, Path root) {
        /** This one. */
        public static Machine running(OwnBuffer.Finder buffers) {
            return new Machine(
                    buffers, Path.of("/proc"), Path.of("/sys/kernel/debug/magnet/control/format"), Path.of("/"));
        }
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(RecorderSave.class);

    private static final long KIB = 1 << 10;
    /** Whatever a snapshot has is there at once. */
    private static final CollectorSettings AT_ONCE =
            new CollectorSettings(128 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null);

    /** What metadata and the heads of packets may take beside the records. */
    private static final long BESIDE_BYTES = 1 << 20;

    /** What may come in until the snapshot is made: a part of what is there, or this. */
    private static final long SOON_BYTES = 4 << 20;

    private static final long SOON_PART = 4;

    /** Where a trace goes to. */
    @FunctionalInterface
    interface Room {
        /**
         * Sees to it that there is room.
         *
         * @param bytes that a trace may take
         * @throws RecorderException if there is none
         */
        void make(long bytes) throws IOException;
    }

    private final MagnetControl control;
    private final Machine machine;
    private final AtomicLong written = new AtomicLong();

    /** @param control the socket, which owns the snapshot */
    public RecorderSave(MagnetControl control, Machine machine) {
        this.control = control;
        this.machine = machine;
    }

    /**
     * Saves one.
     *
     * @param folder is made, or is empty
     * @param minFree what is to stay free on its file system, in bytes
     * @throws RecorderException if there is no such recorder, another one saves it, or the disk has no room: nothing has changed
     */
    public Saved save(String name, Path folder, long minFree) throws IOException {
        return save(name, folder, bytes -> checkRoom(name, folder, minFree, bytes));
    }

    /** The same, where somebody else sees to the room, after all that may keep it from being saved has been looked at. */
    Saved save(String name, Path folder, Room room) throws IOException {
        Recorder recorder = Recorder.named(name, control);
        ModuleInfo module = control.info();
        checkSnapshot(name);
        room.make(mostBytes(recorder));
        boolean isNew = !Files.exists(folder);
        try (TraceWriter trace = new TraceWriter(
                folder,
                TraceSource.origin(control, module, machine.processes()),
                () -> TraceSource.format(control, module.layout(), machine.format()))) {
            RecordedOwners owners = recorder.tellsOwners(control.chains()) ? owners(recorder) : null;
            String lacking = snapshot(recorder, folder, isNew);
            try {
                return write(recorder, module, trace, lacking, owners);
            } finally {
                remove(name + Recorder.SNAPSHOT);
            }
        }
    }

    private RecordedOwners owners(Recorder recorder) throws IOException {
        Set<String> companions = TraceOwners.POINTS.stream()
                .filter(point -> recorder.isForOwners(point.id()))
                .map(EventType::label)
                .collect(Collectors.toUnmodifiableSet());
        return RecordedOwners.now(companions, machine.processes(), machine.root());
    }

    /** Bytes of records that were written so far. For any thread. */
    public long written() {
        return written.get();
    }

    /** Most bytes that a trace takes of what a recorder will hold in a moment. */
    private static long mostBytes(Recorder recorder) {
        long held = recorder.heldBytes();
        long soon = held + Math.max(SOON_BYTES, held / SOON_PART);
        return Math.min(recorder.mostBytes(), soon) + BESIDE_BYTES;
    }

    /** What does not fit on the disk stays where it is. */
    private static void checkRoom(String recorder, Path folder, long minFree, long wanted) throws IOException {
        Path there = folder.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        long free = Files.getFileStore(there).getUsableSpace();
        if (free - minFree < wanted) {
            throw noRoom(recorder, folder, free, minFree, wanted);
        }
    }

    /** Says that a disk has no room. */
    static RecorderException noRoom(String recorder, Path folder, long free, long minFree, long wanted) {
        return new RecorderException(
                folder + ": its file system has " + kibibytes(free) + " free, and the trace may take "
                        + kibibytes(wanted)
                        + (minFree == 0 ? "" : " beside the " + new ByteSize(minFree) + " that are to stay free")
                        + "; flight recorder " + recorder + " still has all, so save it elsewhere");
    }

    private static String kibibytes(long bytes) {
        return bytes / KIB + " KiB";
    }

    /** A snapshot belongs to the socket of who saves; a buffer that outlives its socket is none. */
    private void checkSnapshot(String name) throws IOException {
        String snapshot = name + Recorder.SNAPSHOT;
        Optional<BufferInfo> there = control.buffers().stream()
                .filter(each -> each.name().equals(snapshot))
                .findFirst();
        if (there.isEmpty()) {
            return;
        }
        if (there.get().persistent()) {
            throw new RecorderException("flight recorder " + name + " cannot be saved while there is a buffer "
                    + snapshot + ": its snapshot needs this name; remove that buffer: magnet buffers --remove "
                    + snapshot);
        }
        throw beingSaved(name);
    }

    private static RecorderException beingSaved(String name) {
        return new RecorderException("flight recorder " + name
                + " is just being saved by another command; save it again when that has ended");
    }

    /** Returns what the kernel says is missing in it; empty if all is there. */
    private String snapshot(Recorder recorder, Path folder, boolean isNew) throws IOException {
        try {
            control.snapshotBuffer(recorder.name(), recorder.name() + Recorder.SNAPSHOT, Set.of());
            return "";
        } catch (ControlException e) {
            if (e.errno() == Errno.EAGAIN && isThere(recorder.name() + Recorder.SNAPSHOT)) {
                return e.kernelText().orElse("some CPUs are missing");
            }
            undo(folder, isNew);
            if (e.errno() == Errno.EEXIST) {
                throw beingSaved(recorder.name());
            }
            throw e;
        }
    }

    private boolean isThere(String buffer) throws IOException {
        return control.buffers().stream().anyMatch(each -> each.name().equals(buffer));
    }

    /** A trace that could not be begun leaves nothing behind. */
    private static void undo(Path folder, boolean isNew) {
        try {
            Files.deleteIfExists(folder.resolve("metadata"));
            if (isNew) {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            LOGGER.debug("{} stays: {}", folder, e.getMessage());
        }
    }

    private Saved write(
            Recorder recorder, ModuleInfo module, TraceWriter trace, String lacking, @Nullable RecordedOwners owners)
            throws IOException {
        Recorder after = now(recorder);
        ProcessNames names = new ProcessNames(machine.processes());
        ClockModel clock = module.clockModel();
        Content content = new Content(recorder, clock, names);
        Writing writing = new Writing(trace, module.layout());
        try {
            trace.overwritten(new Overwritten(recorder.name(), after.overwritten()));
            RecordHandler all = owners == null ? content : owners.andThen(content);
            read(recorder.name() + Recorder.SNAPSHOT, module.layout(), clock, all, writing);
            trace.name(names.take());
            if (owners != null) {
                trace.own(owners.take());
            }
        } catch (FileSystemException e) {
            throw e.getReason() == null
                    ? e
                    : new RecorderException(e.getMessage() + "; " + writing.records + " of up to " + recorder.held()
                            + (recorder.held() == 1 ? " record was" : " records were")
                            + " written and can be read, the others are gone");
        }
        return new Saved(
                recorder.name(),
                trace.folder(),
                content.events,
                content.names,
                content.owners,
                trace.bytes(),
                content.begin(),
                content.end(),
                after.overwritten(),
                after.buffer().lost(),
                lacking,
                0,
                "");
    }

    /** All that a snapshot has, in batches as they are read, and record by record in the order of time. */
    private void read(String snapshot, RecordLayout layout, ClockModel clock, RecordHandler content, BatchSink batches)
            throws IOException {
        try (Collector collector = Collector.open(machine.buffers().find(snapshot), layout, clock, content, AT_ONCE)) {
            collector.copyTo(batches);
            collector.drain();
        }
    }

    /** It may have been stopped since. */
    private Recorder now(Recorder recorder) throws IOException {
        try {
            return Recorder.named(recorder.name(), control);
        } catch (RecorderException e) {
            return recorder;
        }
    }

    private void remove(String snapshot) {
        try {
            control.removeBuffer(snapshot);
        } catch (IOException e) {
            // It ends with the socket, or has gone with the module.
            LOGGER.debug("{} is not removed: {}", snapshot, e.getMessage());
        }
    }

    /** Writes what is read, batch by batch, and counts the records. */
    private final class Writing implements BatchSink {
        private final TraceWriter trace;
        private final RecordCursor batchRecords;
        private long records;

        Writing(TraceWriter trace, RecordLayout layout) {
            this.trace = trace;
            this.batchRecords = new RecordCursor(layout);
        }

        @Override
        public void onBatch(int cpu, ByteBuffer batch, int offset, int length) throws IOException {
            trace.write(cpu, batch, offset, length);
            written.addAndGet(length);
            batchRecords.wrap(batch, offset, offset + length).forEach(record -> records++);
        }
    }

    /** What a trace has; what the sensor says of itself is no event. */
    private static final class Content implements RecordHandler {
        private final ClockModel clock;
        private final ProcessNames processes;
        private final boolean[] forNames = new boolean[1 << 16];
        private final boolean[] forOwners = new boolean[1 << 16];
        private long events;
        private long names;
        private long owners;
        private long firstNs;
        private long lastNs;

        Content(Recorder recorder, ClockModel clock, ProcessNames processes) {
            this.clock = clock;
            this.processes = processes;
            for (EventType type : EventType.values()) {
                forNames[type.id()] = recorder.isForNames(type.id());
                forOwners[type.id()] = recorder.isForOwners(type.id());
            }
        }

        @Override
        public void onRecord(RecordFlyweight record) {
            processes.onRecord(record);
            if (forNames[record.event()]) {
                names++;
                return;
            }
            if (forOwners[record.event()]) {
                owners++;
                return;
            }
            EventType type = EventType.ofId(record.event());
            if (type == null || type.subsystem() != Subsystem.SENSOR || type == EventType.CORRELATED) {
                lastNs = clock.realtimeNs(record.timer());
                firstNs = events == 0 ? lastNs : firstNs;
                events++;
            }
        }

        Optional<Instant> begin() {
            return instant(firstNs);
        }

        Optional<Instant> end() {
            return instant(lastNs);
        }

        private Optional<Instant> instant(long nanos) {
            return events == 0 ? Optional.empty() : Optional.of(Instant.ofEpochSecond(0, nanos));
        }
    }
}
