// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import magnet.job.JobNames;
import magnet.job.Owners;
import magnet.magnetfs.BatchSink;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.Subsystem;
import magnet.trace.NamingEvent;
import magnet.trace.ProcessNames;
import magnet.trace.SavedTrace;
import magnet.trace.TraceOwners;
import org.jspecify.annotations.Nullable;

/**
 * Writes what was recorded from one timer on, up to another: neither depends on when somebody was told to begin. What
 * records of before say of names and owners goes into the trace's metadata. For one thread.
 */
final class CutTrace implements BatchSink, AutoCloseable {
    /** Makes the trace, when the first record of it is there. */
    @FunctionalInterface
    interface Opener {
        SavedTrace open() throws IOException;
    }

    /** Tells where to cut, as soon as that can be told. */
    interface Cuts {
        /** Whether the begin is over by the wall clock, so that there may be records of after it. */
        boolean hasBegun();

        /** The timer of the begin, asked once when it is over. */
        long begin() throws IOException;

        /** Whether the end is over. */
        boolean hasEnded();

        /** The timer of the end, asked once when it is over. */
        long end() throws IOException;
    }

    private final Cuts cuts;
    private final Opener opener;
    private final ProcessNames names;
    private final boolean tellsOwners;
    private final Set<String> ownerPoints;
    private final BitSet hidden = new BitSet();
    private final RecordCursor records;
    /** What records of before the begin have told. */
    private final Owners before = new Owners(JobNames.none());

    private final Owners all = new Owners(JobNames.none());
    private @Nullable SavedTrace trace;
    private boolean begun;
    private boolean ended;
    private long beginTimer;
    private long endTimer;
    /** The part that is written first: in it nothing of before the begin has been told. */
    private boolean first = true;

    private int firstPart;
    private long events;
    private long bytes;

    /**
     * @param names hears of all records
     * @param ownerPoints points that log for the owners' sake only, if owners are told; null if they are not
     * @param namingPoints points that log for the names' sake only
     */
    CutTrace(
            RecordLayout layout,
            Cuts cuts,
            Opener opener,
            ProcessNames names,
            @Nullable Set<String> ownerPoints,
            Set<String> namingPoints) {
        this.cuts = cuts;
        this.opener = opener;
        this.names = names;
        this.ownerPoints = ownerPoints == null ? Set.of() : ownerPoints;
        this.tellsOwners = ownerPoints != null;
        this.records = new RecordCursor(layout);
        NamingEvent.all().stream()
                .filter(each -> namingPoints.contains(each.point()))
                .forEach(each -> hidden.set(each.id()));
        TraceOwners.POINTS.stream()
                .filter(each -> this.ownerPoints.contains(each.label()))
                .forEach(each -> hidden.set(each.id()));
    }

    @Override
    public void onBatch(int cpu, ByteBuffer batch, int offset, int length) throws IOException {
        learn();
        int from = offset;
        int to = offset + length;
        records.wrap(batch, offset, to);
        int at = offset;
        while (records.next()) {
            RecordFlyweight record = records.record();
            int next = at + record.size();
            if (ended && record.timer() - endTimer >= 0) {
                to = at;
                break;
            }
            names.onRecord(record);
            all.onRecord(record);
            if (!begun || record.timer() - beginTimer < 0) {
                before.onRecord(record);
                from = next;
            } else {
                count(record);
            }
            at = next;
        }
        if (from < to) {
            opened().write(cpu, batch, from, to - from);
            bytes += to - from;
        }
    }

    /** What the wall clock says by now; to be called at least once after the end. */
    void learn() throws IOException {
        if (!begun && cuts.hasBegun()) {
            beginTimer = cuts.begin();
            begun = true;
        }
        if (!ended && cuts.hasEnded()) {
            endTimer = cuts.end();
            ended = true;
        }
    }

    private void count(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        boolean counts = type == null || type.subsystem() != Subsystem.SENSOR || type == EventType.CORRELATED;
        if (counts && !hidden.get(record.event())) {
            events++;
        }
    }

    private SavedTrace opened() throws IOException {
        SavedTrace there = trace;
        if (there == null) {
            there = opener.open();
            trace = there;
            firstPart = there.parts();
            if (tellsOwners) {
                there.tellOwners(this::known);
            }
        }
        return there;
    }

    /** Makes the trace also if nothing was recorded, and says what all records of before have told. */
    void complete() throws IOException {
        SavedTrace there = opened();
        if (tellsOwners && there.parts() == firstPart) {
            first = true;
            there.tellOwners(this::known);
        }
    }

    /** A part that begins later has no records of before: then it says what all have told. */
    private TraceOwners known() {
        Owners owners = first ? before : all;
        first = false;
        Map<Integer, Long> cgroups = new HashMap<>();
        Map<Long, String> paths = new HashMap<>();
        owners.forEachProcess(cgroups::put);
        owners.forEachCgroup(paths::put);
        return new TraceOwners(ownerPoints, cgroups, paths);
    }

    /** Events in the trace. */
    long events() {
        return events;
    }

    /** Bytes of records in the trace. */
    long bytes() {
        return bytes;
    }

    /** The number of the last part; 0 before there is one. */
    int parts() {
        SavedTrace there = trace;
        return there == null ? 0 : there.parts();
    }

    @Override
    public void close() throws IOException {
        SavedTrace there = trace;
        if (there != null) {
            there.close();
        }
    }
}
