// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Folding;
import magnet.cli.world.LiveReading;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.NamingPoints;
import magnet.cli.world.NewFile;
import magnet.cli.world.Output;
import magnet.cli.world.Overtime;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.ClockSource;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.dump.DumpPlan;
import magnet.dump.Interfaces;
import magnet.dump.LineStyle;
import magnet.dump.PacketDump;
import magnet.dump.PcapngWriter;
import magnet.dump.SeenThreads;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.os.FileReason;
import magnet.os.ThreadComm;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.WordKind;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of packets go to a buffer of its own and shows the packets, until there were enough, the time is over or the
 * user interrupts; then says what was lost. For one run.
 */
public final class DumpReading {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Losses that nobody can tell are left out of a file. */
    private static final long UNKNOWN = -1;

    /** While packets wait for the end of their journey. */
    private static final int WAIT_MS = 20;

    private static final Duration LATEST_OF_FILE = Duration.ofMillis(100);
    /** So much the kernel is asked for at least: headers that lines and expressions look at. */
    private static final int HEADERS = 128;

    private final World world;
    private final DumpPlan plan;
    private final Interfaces interfaces;
    private final Wishes wishes;
    private final LiveReading live;
    private final AtomicLong shown = new AtomicLong();
    private @Nullable PcapngWriter writer;

    /**
     * What its user wants.
     *
     * @param snapBytes bytes of each packet
     * @param most packets
     * @param seconds how long
     * @param raw whether reasons and protocols are wanted as numbers
     * @param allNamespaces whether other network namespaces are wanted
     * @param bufferBytes memory for each CPU's events
     * @param file gets the packets; null if they are printed
     * @param toOutput whether the file is the standard output
     * @param json whether packets are printed as JSON
     * @param owned whether it is wanted whose they are
     * @param style of lines
     */
    record Wishes(
            int snapBytes,
            long most,
            double seconds,
            boolean raw,
            boolean allNamespaces,
            long bufferBytes,
            @Nullable Path file,
            boolean toOutput,
            boolean json,
            boolean owned,
            LineStyle style) {}

    /**
     * What logs beside what is shown.
     *
     * @param naming what says what threads are called
     * @param owning what says whose they are; null if nobody wants to know
     */
    private record Companions(NamingPoints naming, @Nullable OwnerPoints owning) {
        void accompany(BufferReading reading, World world) throws IOException {
            naming.accompany(reading, world);
            if (owning != null) {
                owning.accompany(reading, world);
            }
        }

        RecordHandler before(RecordHandler packets) {
            return owning == null ? packets : owning.before(packets);
        }

        IntFunction<String> owners() {
            return owning == null ? process -> "" : owning.owners()::owner;
        }

        String lost(BufferReading reading) {
            return owning == null
                    ? NamingPoints.lost(reading.accompanying())
                    : OwnerPoints.lost(reading.accompanying());
        }

        Optional<String> withoutRoom() {
            return owning == null ? Optional.empty() : owning.withoutRoom();
        }
    }

    DumpReading(World world, DumpPlan plan, Interfaces interfaces, Wishes wishes) {
        this.world = world;
        this.plan = plan;
        this.interfaces = interfaces;
        this.wishes = wishes;
        this.live = new LiveReading(world, "dump");
    }

    void run() throws IOException {
        try (MagnetControl control = world.control().open()) {
            List<PointInfo> known = control.points();
            PointChoice.of(points(), known);
            NamingPoints naming = NamingPoints.beside(points(), known);
            ModuleInfo module = control.info();
            OwnBuffer buffer = live.buffer(control, module, wishes.bufferBytes());
            Companions companions =
                    new Companions(naming, wishes.owned() ? OwnerPoints.beside(points(), known, world) : null);
            Path file = wishes.file();
            if (file == null) {
                dump(control, module, buffer, companions, null);
            } else if (wishes.toOutput()) {
                dump(control, module, buffer, companions, new OutputChannel(world.out()));
            } else {
                try (FileChannel channel = NewFile.open(file)) {
                    dump(control, module, buffer, companions, channel);
                }
            }
        }
    }

    private List<String> points() {
        return plan.subscriptions().stream().map(each -> each.point().label()).toList();
    }

    private void dump(
            MagnetControl control,
            ModuleInfo module,
            OwnBuffer buffer,
            Companions companions,
            @Nullable WritableByteChannel channel)
            throws IOException {
        ClockModel clock = module.clockModel();
        PacketDump packets = packets(control, module, clock, companions.owners(), channel);
        RecordHandler handler = companions.before(packets);
        try (BufferReading reading = BufferReading.open(buffer, "magnet-dump", handler, clock, settings(), Set.of())) {
            live.endsAtInterrupt(reading, shown::get);
            long startNs = wallNanos(clock);
            companions.accompany(reading, world);
            long began = world.clock().nanos();
            reading.subscribe(selections());
            world.tell("capturing packets of " + (plan.text().isEmpty() ? "any kind" : "'" + plan.text() + "'")
                    + ", up to " + Counted.of(wishes.snapBytes(), "byte") + " of each");
            boolean overtime = read(reading, packets);
            finish(reading, companions, packets, startNs, clock);
            live.tell(companions.withoutRoom());
            if (overtime) {
                long ran = world.clock().nanos() - began;
                live.tell(
                        Overtime.of(wishes.seconds(), ran, plan.subscriptions().size()));
            }
        }
    }

    private PacketDump packets(
            MagnetControl control,
            ModuleInfo module,
            ClockModel clock,
            IntFunction<String> owners,
            @Nullable WritableByteChannel channel)
            throws IOException {
        PacketDump.Scene scene = new PacketDump.Scene(
                clock,
                module.clock() != ClockSource.MONO,
                module.ticksPerMilli(),
                wishes.raw() ? Words.none() : Words.common().with(WordKind.DROP_REASON, control.dropReasons()),
                interfaces,
                new SeenThreads(thread -> ThreadComm.of(world.processes(), thread)),
                owners);
        PacketDump.Extent extent = new PacketDump.Extent(wishes.snapBytes(), wishes.most(), wishes.allNamespaces());
        if (channel == null) {
            OutputLines lines = new OutputLines(world.out(), wishes.json() ? Folding.NEVER : world.columns());
            return wishes.json()
                    ? PacketDump.toJson(scene, plan, extent, lines)
                    : PacketDump.toLines(
                            scene, plan, extent, lines, world.zone().get(), wishes.style());
        }
        PcapngWriter begun = new PcapngWriter(channel);
        writer = begun;
        begun.section(hardware(), system(), new VersionProvider().getVersion()[0] + " dump");
        PacketDump dump = PacketDump.toFile(scene, plan, extent, begun);
        write(begun::flush);
        return dump;
    }

    private CollectorSettings settings() {
        CollectorSettings reading = world.reading();
        return wishes.file() == null || reading.latest().isZero() ? reading : reading.withLatest(LATEST_OF_FILE);
    }

    /** Those where packets are shown come last: the journeys of the first packets are whole. */
    private Map<String, Selection> selections() {
        List<DumpPlan.Subscription> inOrder = new ArrayList<>(plan.subscriptions());
        inOrder.sort(Comparator.comparing(DumpPlan.Subscription::isShown));
        Map<String, Selection> selections = new LinkedHashMap<>();
        for (DumpPlan.Subscription each : inOrder) {
            Selection selection = each.rules().isEmpty() ? Selection.NONE : Selection.NONE.withRules(each.rules());
            if (each.isShown()) {
                selection = selection.withSnapBytes(Math.max(wishes.snapBytes(), HEADERS));
            }
            selections.put(each.point().label(), selection);
        }
        return selections;
    }

    /** Returns whether it was the time that ended it. */
    private boolean read(BufferReading reading, PacketDump packets) throws IOException {
        long start = world.clock().nanos();
        long longest = (long) (wishes.seconds() * NANOS_PER_SECOND);
        return live.read(reading, start, longest, packets::isDone, (now, left) -> {
            long sleep = LiveReading.sleepMillis(left);
            reading.work(packets.isWaiting() ? Math.min(WAIT_MS, sleep) : sleep);
            packets.release(now, world.clock().nanos());
            shown.set(packets.shown());
            write(packets::flush);
        });
    }

    private void finish(
            BufferReading reading, Companions companions, PacketDump packets, long startNs, ClockModel clock)
            throws IOException {
        boolean ended = reading.hasEnded();
        HitCounts hits = ended ? HitCounts.NONE : reading.end();
        packets.releaseAll();
        write(packets::flush);
        long dropped = dropped(reading.subscriptions());
        // With the buffer the counters have gone.
        long known = ended ? UNKNOWN : dropped;
        write(() -> packets.finish(startNs, wallNanos(clock), known));
        write(() -> world.out().flush());
        if (ended) {
            live.tellRemoved(Counted.of(packets.shown(), "packet") + " captured");
        } else {
            world.tell(Counted.of(packets.shown(), "packet") + " captured, " + dropped + " dropped; "
                    + Subscriptions.account(hits) + Unread.late(reading)
                    + companions.lost(reading));
            live.tell(LossAdvice.of(hits.plus(reading.accompanying()), wishes.bufferBytes()));
        }
    }

    /** What was lost where packets are shown. */
    private long dropped(Subscriptions own) {
        return plan.subscriptions().stream()
                .filter(DumpPlan.Subscription::isShown)
                .map(each -> own.of(each.point().label()))
                .mapToLong(hits -> hits.dropped() + hits.missed())
                .sum();
    }

    private long wallNanos(ClockModel clock) {
        return clock.realtimeNs(clock.timerAtMonotonic(world.clock().nanos()));
    }

    /** What writes. */
    @FunctionalInterface
    private interface Writing {
        void run() throws IOException;
    }

    /** What cannot be written to a file is counted; what was written before stays. */
    private void write(Writing writing) throws IOException {
        try {
            writing.run();
        } catch (Output.ClosedException e) {
            throw e;
        } catch (IOException e) {
            PcapngWriter file = writer;
            if (file == null) {
                throw e;
            }
            throw new Failure(wishes.file() + ": " + FileReason.of(e) + "; at least "
                    + Counted.were(file.packets() - file.packetsWritten(), "packet")
                    + " not written; "
                    + Counted.of(file.packetsWritten(), "packet before stays", "packets before stay")
                    + " and can be read");
        }
    }

    /** The processor's name, if it can be told. */
    private String hardware() {
        try {
            return Files.readAllLines(world.processes().resolve("cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    private String system() {
        try {
            return "Linux "
                    + Files.readString(world.processes().resolve("sys/kernel/osrelease"))
                            .strip();
        } catch (IOException e) {
            return "Linux";
        }
    }
}
