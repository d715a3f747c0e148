// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import magnet.config.ConfigException;
import magnet.control.HitCounts;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.job.JobNames;
import magnet.job.Owners;
import magnet.measure.BufferReading;
import magnet.record.EventType;
import magnet.record.RecordHandler;
import magnet.service.SetupFiles;
import magnet.trace.TraceOwners;

/**
 * The points whose events say whose each process is, as far as nobody has asked for them: they log into the same buffer, and
 * their records are not shown. For one thread.
 */
public final class OwnerPoints {
    /** What a line begins with about one of these points that could not be had. */
    public static final String NOT_HAD = "processes may have no owner";

    private final Owners owners;
    private final CompanionPoints companions;
    private final boolean available;

    private OwnerPoints(Owners owners, CompanionPoints companions, boolean available) {
        this.owners = owners;
        this.companions = companions;
        this.available = available;
    }

    /**
     * Those that go beside others. Cgroups come first, so that a process is told when its cgroup is known.
     *
     * @param asked points that somebody wants to see: of these no second subscription goes into the buffer
     * @param known what the module has
     */
    public static OwnerPoints beside(Collection<String> asked, List<PointInfo> known, World world) throws IOException {
        return beside(asked, known, names(world));
    }

    /** The same, with a list of jobs. */
    public static OwnerPoints beside(Collection<String> asked, List<PointInfo> known, JobNames names) {
        return new OwnerPoints(new Owners(names), companions(asked, known), areAvailable(known));
    }

    private static CompanionPoints companions(Collection<String> asked, List<PointInfo> known) {
        Map<String, Integer> wanted = new LinkedHashMap<>();
        TraceOwners.POINTS.forEach(type -> wanted.put(type.label(), type.id()));
        return new CompanionPoints(wanted, asked, known);
    }

    /**
     * The first of the points that tell owners from which somebody leaves events out; empty if there is none. Then nobody
     * knows whose a process is.
     */
    public static Optional<String> limited(Map<String, Selection> wanted) {
        return Stream.concat(
                        TraceOwners.POINTS.stream().map(EventType::label),
                        Stream.of(EventType.SCHED_PROCESS_FORK.label(), EventType.SCHED_PROCESS_EXIT.label()))
                .filter(point -> leavesOut(wanted.getOrDefault(point, Selection.NONE)))
                .findFirst();
    }

    private static boolean leavesOut(Selection selection) {
        return selection.rules().isPresent()
                || selection.sampleCount().isPresent()
                || selection.sampleIntervalUs().isPresent();
    }

    /** The list of the installed magnet.conf; says so if it cannot be read, and takes the built-in one. */
    public static JobNames names(World world) throws IOException {
        try {
            return SetupFiles.jobs(world.config());
        } catch (ConfigException e) {
            world.tell("jobs have the names of the built-in list: " + e.getMessage());
            return JobNames.DEFAULTS;
        }
    }

    /** The same list without a word, for whoever looks at magnet.conf anyway. */
    public static JobNames namesInSilence(World world) throws IOException {
        try {
            return SetupFiles.jobs(world.config());
        } catch (ConfigException e) {
            return JobNames.DEFAULTS;
        }
    }

    /** The end of a line that says what became of hits: what was lost of these points and of those that name threads. */
    public static String lost(HitCounts accompanying) {
        return CompanionPoints.lost(
                accompanying, "event that names threads or tells owners", "events that name threads or tell owners");
    }

    /** Their names, in the order in which they are subscribed. */
    public List<String> points() {
        return companions.points();
    }

    /** Whether an event is there for the owners' sake only. */
    public boolean hides(int event) {
        return companions.hides(event);
    }

    /** Whether the module tells owners at all, whoever asked for the points. */
    private static boolean areAvailable(List<PointInfo> known) {
        return TraceOwners.POINTS.stream()
                .allMatch(type ->
                        known.stream().anyMatch(point -> point.name().equals(type.label()) && point.isAvailable()));
    }

    /** Whose processes are, as of the record that was handed over last. */
    public Owners owners() {
        return owners;
    }

    /** Says where they had no room for all, if anywhere. */
    public Optional<String> withoutRoom() {
        return withoutRoom(owners);
    }

    /** Says where owners had no room for all processes and cgroups, if anywhere. */
    public static Optional<String> withoutRoom(Owners owners) {
        List<String> lacking = new ArrayList<>();
        if (owners.processesWithoutRoom() > 0) {
            lacking.add(Counted.of(owners.processesWithoutRoom(), "time") + " for a process beyond "
                    + Owners.PROCESSES_MAX);
        }
        if (owners.cgroupsWithoutRoom() > 0) {
            lacking.add(Counted.of(owners.cgroupsWithoutRoom(), "time") + " for a cgroup beyond " + Owners.CGROUPS_MAX);
        }
        return lacking.isEmpty()
                ? Optional.empty()
                : Optional.of("owners are missing: there was no room " + String.join(", and ", lacking));
    }

    /**
     * Lets them log into a buffer, before the points that were asked for do, and says what could not be had.
     *
     * @return whether from now on all of them log there, with those that were asked for
     */
    public boolean accompany(BufferReading reading, World world) throws IOException {
        return companions.accompany(reading, world, NOT_HAD) && available;
    }

    /** Hands all records to the owners, and those that were asked for to somebody else as well. */
    public RecordHandler before(RecordHandler next) {
        return owners.andThen(without(next));
    }

    /** Hands on the records that were asked for. */
    public RecordHandler without(RecordHandler next) {
        return companions.without(next);
    }
}
