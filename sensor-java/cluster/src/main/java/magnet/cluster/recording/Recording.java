// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.agent.Agent;
import magnet.cluster.config.RecordingProfile;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.os.ClockQuality;
import magnet.os.WallClock;
import magnet.record.EventType;
import magnet.recorder.TraceSource;
import magnet.trace.NamingEvent;
import magnet.trace.ProcessNames;
import magnet.trace.Rotation;
import magnet.trace.SavedTrace;
import magnet.trace.TraceOwners;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out a run on this node: subscribes beforehand with a rule that logs nothing, takes that rule away shortly before
 * the begin, and cuts the trace at the begin by time stamps. So neither the order's way through the network nor the scheduler
 * moves the begin. In between it reads at instants of the wall clock that are the same on all nodes, so that what the
 * recording costs falls into the same moments everywhere. {@link #progress} and {@link #endAt} are for any thread.
 */
final class Recording implements Agent {
    private static final Logger LOGGER = LoggerFactory.getLogger(Recording.class);

    /** Subscribing hooks functions, which takes seconds on a busy machine; meanwhile an event costs what its rule costs. */
    private static final Duration PREPARE = Duration.ofMinutes(1);
    /** One that the kernel has not yet ended, of before a restart, is gone by then. */
    private static final Duration OLD_BUFFER = Duration.ofSeconds(3);
    /** Subscriptions are open so long before the begin, and are being opened for as long as that takes. */
    private static final Duration OPEN = Duration.ofMillis(50);
    /** The longest that the agent does not look whether it shall end. */
    private static final Duration LOOK = Duration.ofMillis(100);
    /** How often the file beside the trace says how far it is. */
    private static final Duration WRITE = Duration.ofSeconds(1);
    /** From then on the agent sleeps on the clock itself. */
    private static final long EXACT_NS = 2_000_000;

    private static final String NOTHING = "drop";
    private static final String BUFFER = "recording-";
    private static final int BATCH_BYTES = 256 * 1024;
    private static final Duration RESCAN = Duration.ofSeconds(2);
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Path OWN_TIME = Path.of("/proc/thread-self/schedstat");

    /** What the kernel is asked for, while there is a recording. */
    private record Hooked(
            MagnetControl control,
            BufferReading reading,
            CutTrace trace,
            Map<String, Selection> points,
            Duration opening) {
        void close() throws IOException {
            try {
                trace.close();
            } finally {
                try {
                    reading.close();
                } finally {
                    control.close();
                }
            }
        }
    }

    private final Run run;
    private final RecordingProfile profile;
    private final Machine machine;
    private final Path folder;
    /** The begin of this part: the run's, or when the daemon has come back. */
    private final long beginNs;
    /** What was recorded before a restart. */
    private final Progress before;

    private @Nullable Hooked hooked;
    private @Nullable ModuleInfo earlier;
    private long nextWriteNs;
    private volatile long endNs;
    private volatile Progress progress;

    /** One that will begin. */
    Recording(Run run, RecordingProfile profile, Machine machine) {
        this(run, profile, machine, run.atNs(), Progress.ready(run.endNs()));
    }

    /**
     * One that goes on after a restart of the daemon.
     *
     * @param before what is known of it
     */
    static Recording goOn(RunFile before, RecordingProfile profile, Machine machine) {
        long now = machine.wallNs().getAsLong();
        if (before.progress().state() == RecordingState.READY && before.run().atNs() > now) {
            return new Recording(before.run(), profile, machine);
        }
        long from = Math.max(before.writtenNs(), before.run().atNs());
        List<Progress.Gap> gaps = new ArrayList<>(before.progress().gaps());
        gaps.add(new Progress.Gap(from, now));
        Progress was = before.progress();
        return new Recording(
                before.run(),
                profile,
                machine,
                now,
                new Progress(
                        RecordingState.READY,
                        was.endNs(),
                        was.openedNs(),
                        was.events(),
                        was.lost(),
                        was.bytes(),
                        was.parts(),
                        was.cpuNs(),
                        was.begin(),
                        Optional.empty(),
                        gaps,
                        was.reason()));
    }

    private Recording(Run run, RecordingProfile profile, Machine machine, long beginNs, Progress progress) {
        this.run = run;
        this.profile = profile;
        this.machine = machine;
        this.folder = profile.folder().resolve(run.name());
        this.beginNs = beginNs;
        this.before = progress;
        this.progress = progress;
        this.endNs = progress.endNs();
    }

    /** The run. */
    Run run() {
        return run;
    }

    /** How far it is. */
    Progress progress() {
        return progress;
    }

    /** Lets it end at an instant, if that is before the end that it has. */
    synchronized void endAt(long instantNs) {
        endNs = Math.min(endNs, instantNs);
    }

    @Override
    public String roleName() {
        return "magnet-recorder";
    }

    @Override
    public OnFailure onFailure() {
        return OnFailure.END;
    }

    @Override
    public void onStart() throws IOException {
        WallClock.sleepExactly();
        Files.createDirectories(folder);
        write();
    }

    @Override
    public int doWork() throws IOException {
        try {
            return turn();
        } catch (FileSystemException e) {
            fail(e.getReason() == null ? e.toString() : e.getMessage() + "; what was written before stays");
            throw e;
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
            throw e;
        } catch (RuntimeException e) {
            fail(e.toString());
            throw e;
        }
    }

    private int turn() throws IOException {
        long now = machine.wallNs().getAsLong();
        Hooked there = hooked;
        if (there == null) {
            if (now >= endNs) {
                return endBeforeBegin();
            }
            if (now < beginNs - PREPARE.toNanos()) {
                sleepUntil(Math.min(now + LOOK.toNanos(), beginNs - PREPARE.toNanos()));
                return 0;
            }
            hooked = prepare();
            return 1;
        }
        if (progress.openedNs() == 0 || progress.state() == RecordingState.READY) {
            long opensNs = beginNs - OPEN.plus(there.opening).toNanos();
            if (now < opensNs) {
                return there.reading.work(millis(Math.min(LOOK.toNanos(), opensNs - now)));
            }
            open(there);
            return 1;
        }
        if (now >= endNs) {
            end(there);
            return OVER;
        }
        readAtSlot(there, now);
        return 1;
    }

    /** Told to end before it has begun. */
    private int endBeforeBegin() throws IOException {
        progress = progress.in(RecordingState.DONE, "it was ended before it began");
        write();
        return OVER;
    }

    private Hooked prepare() throws IOException {
        MagnetControl control = machine.control().open();
        try {
            return prepare(control);
        } catch (IOException | RuntimeException e) {
            control.close();
            throw e;
        }
    }

    private Hooked prepare(MagnetControl control) throws IOException {
        ModuleInfo module = control.info();
        List<PointInfo> known = control.points();
        Map<String, Selection> points = points(known);
        List<String> owning = beside(TraceOwners.POINTS.stream().map(EventType::label), known);
        List<String> naming = beside(NamingEvent.all().stream().map(NamingEvent::point), known);
        ProcessNames names = new ProcessNames(machine.processes());
        OwnBuffer buffer = OwnBuffer.createSoon(
                control,
                module,
                machine.buffers(),
                BUFFER + run.id().brief(),
                profile.bufferBytes(),
                OLD_BUFFER,
                () -> machine.wallNs().getAsLong() >= endNs);
        CutTrace trace = new CutTrace(
                module.layout(),
                new Cut(control),
                () -> saved(control, names),
                names,
                limits(owning) ? null : Set.copyOf(owning),
                Set.copyOf(naming));
        // Full rings wake it up, and nothing else: it looks at instants of its own.
        CollectorSettings settings = new CollectorSettings(
                BATCH_BYTES,
                (int) Math.min(Integer.MAX_VALUE, profile.bufferBytes()),
                Duration.ZERO,
                Duration.ZERO,
                RESCAN,
                null);
        BufferReading reading =
                BufferReading.open(buffer, "magnet-record", record -> {}, module.clockModel(), settings, Set.of());
        try {
            reading.copyTo(trace);
            names.begin();
            if (reading.accompany(naming).isEmpty()) {
                names.follow();
            }
            for (String refused : reading.accompany(owning)) {
                LOGGER.warn("{}: processes may have no owner: {}", run.name(), refused);
            }
            Map<String, Selection> closed = new LinkedHashMap<>();
            points.forEach((point, selection) -> closed.put(point, selection.withRules(NOTHING)));
            reading.subscribe(closed);
            return new Hooked(control, reading, trace, points, rehearse(reading, closed));
        } catch (IOException | RuntimeException e) {
            reading.close();
            throw e;
        }
    }

    /** How long it takes to change all of them, and as long again: the kernel waits for its handlers at each. */
    private Duration rehearse(BufferReading reading, Map<String, Selection> closed) throws IOException {
        long began = machine.monotonicNs().getAsLong();
        change(reading, closed);
        return Duration.ofNanos(2 * (machine.monotonicNs().getAsLong() - began));
    }

    private static void change(BufferReading reading, Map<String, Selection> points) throws IOException {
        reading.change(subscriptions -> {
            for (Map.Entry<String, Selection> point : points.entrySet()) {
                subscriptions.change(point.getKey(), point.getValue());
            }
        });
    }

    /** Points that somebody leaves events out of tell nobody's owner. */
    private boolean limits(List<String> owning) {
        return owning.size() < TraceOwners.POINTS.size() && (!profile.rules().isEmpty() || profile.sample() > 1);
    }

    private Map<String, Selection> points(List<PointInfo> known) throws IOException {
        Map<String, Selection> selections = new LinkedHashMap<>();
        for (String point : profile.points()) {
            Optional<PointInfo> there =
                    known.stream().filter(each -> each.name().equals(point)).findFirst();
            if (there.isEmpty() || !there.get().isAvailable()) {
                throw new IOException("this kernel has no point " + point + ", which [recording " + profile.name()
                        + "] names; magnet points lists those that it has");
            }
            selections.put(point, selection(point));
        }
        return selections;
    }

    private Selection selection(String point) {
        // Given also where there is none: it takes the one away that logs nothing.
        Selection selection = Selection.NONE.withRules(profile.rules());
        if (profile.sample() > 1) {
            selection = selection.withSampleCount(profile.sample());
        }
        boolean carries =
                Stream.of(EventType.values()).anyMatch(type -> type.label().equals(point) && type.isOfPacket());
        return carries && profile.snapBytes() > 0 ? selection.withSnapBytes(profile.snapBytes()) : selection;
    }

    /** Those of some points that are not recorded anyway, as far as this kernel has them. */
    private List<String> beside(Stream<String> points, List<PointInfo> known) {
        Set<String> available = known.stream()
                .filter(PointInfo::isAvailable)
                .map(PointInfo::name)
                .collect(Collectors.toSet());
        return points.filter(each -> !profile.points().contains(each) && available.contains(each))
                .toList();
    }

    private SavedTrace saved(MagnetControl control, ProcessNames names) throws IOException {
        Rotation rotation = new Rotation(profile.partBytes(), null, profile.keepParts(), 0);
        return SavedTrace.goOn(
                folder.resolve(machine.host()),
                rotation,
                () -> TraceSource.origin(control, control.info(), machine.processes()),
                () -> TraceSource.format(control, control.info().layout(), machine.format()),
                names::take,
                machine.monotonicNs());
    }

    /** Takes the rule away that logs nothing. */
    private void open(Hooked there) throws IOException {
        earlier = there.control.info();
        change(there.reading, there.points);
        long opened = machine.wallNs().getAsLong();
        String reason = opened > beginNs
                ? "it was open " + (opened - beginNs) / NANOS_PER_MILLI + " ms after its begin"
                : before.reason();
        ClockQuality clock = machine.clock().now();
        progress = new Progress(
                RecordingState.RECORDING,
                endNs,
                before.openedNs() == 0 ? opened : before.openedNs(),
                before.events(),
                before.lost(),
                before.bytes(),
                before.parts(),
                before.cpuNs(),
                before.begin().or(() -> Optional.of(clock)),
                Optional.empty(),
                before.gaps(),
                reason);
        write();
    }

    /** Sleeps until the next instant at which all nodes read, or the end, and reads. */
    private void readAtSlot(Hooked there, long now) throws IOException {
        long period = profile.period().toNanos();
        long slot = Math.min((Math.floorDiv(now, period) + 1) * period, endNs);
        long wait = slot - now;
        if (wait > EXACT_NS) {
            there.reading.work(millis(Math.min(wait - EXACT_NS, LOOK.toNanos())));
            if (machine.wallNs().getAsLong() < slot - EXACT_NS) {
                return;
            }
        }
        sleepUntil(slot);
        there.reading.drainWhatIsThere();
        there.trace.learn();
        earlier = there.control.info();
        checkRoom();
        note(there);
    }

    private void checkRoom() throws IOException {
        if (Files.getFileStore(folder).getUsableSpace() < profile.minFree()) {
            throw new FileSystemException(
                    folder.toString(), null, "less is free on its file system than is to stay so (min-free)");
        }
    }

    private void note(Hooked there) throws IOException {
        Progress now = progress;
        progress = new Progress(
                now.state(),
                endNs,
                now.openedNs(),
                before.events() + there.trace.events(),
                now.lost(),
                before.bytes() + there.trace.bytes(),
                Math.max(before.parts(), there.trace.parts()),
                before.cpuNs() + ownTime(),
                now.begin(),
                now.end(),
                now.gaps(),
                now.reason());
        long wall = machine.wallNs().getAsLong();
        if (wall >= nextWriteNs) {
            nextWriteNs = wall + WRITE.toNanos();
            write();
        }
    }

    private void end(Hooked there) throws IOException {
        there.trace.learn();
        there.reading.drainWhatIsThere();
        HitCounts hits = there.reading.end();
        there.trace.complete();
        note(there);
        Progress now = progress;
        ClockQuality clock = machine.clock().now();
        progress = new Progress(
                RecordingState.DONE,
                endNs,
                now.openedNs(),
                now.events(),
                before.lost() + hits.dropped() + hits.missed(),
                now.bytes(),
                now.parts(),
                now.cpuNs(),
                now.begin(),
                Optional.of(clock),
                now.gaps(),
                now.reason());
    }

    private void fail(String why) {
        progress = progress.in(RecordingState.FAILED, why);
        LOGGER.error("{} has ended: {}", run.name(), why);
    }

    /** Nanoseconds of processor time of this thread; 0 if nobody says. */
    private static long ownTime() {
        try {
            String text = Files.readString(OWN_TIME);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    private void write() throws IOException {
        new RunFile(run, progress, machine.wallNs().getAsLong())
                .write(RunFile.in(folder, machine.host()), machine.host());
    }

    private static void sleepUntil(long instantNs) {
        WallClock.sleepUntil(instantNs);
    }

    private static long millis(long nanos) {
        return Math.max(1, nanos / NANOS_PER_MILLI);
    }

    @Override
    public void onClose() throws IOException {
        Hooked there = hooked;
        hooked = null;
        if (there != null) {
            there.close();
        }
        write();
    }

    /** Where the trace is cut. */
    private final class Cut implements CutTrace.Cuts {
        private final MagnetControl control;

        Cut(MagnetControl control) {
            this.control = control;
        }

        @Override
        public boolean hasBegun() {
            return machine.wallNs().getAsLong() >= beginNs;
        }

        @Override
        public long begin() throws IOException {
            return timer(beginNs);
        }

        @Override
        public boolean hasEnded() {
            return machine.wallNs().getAsLong() >= endNs;
        }

        @Override
        public long end() throws IOException {
            return timer(endNs);
        }

        private long timer(long instantNs) throws IOException {
            ModuleInfo later = control.info();
            ModuleInfo first = earlier;
            return InstantTimer.at(instantNs, first == null ? later : first, later);
        }
    }
}
