// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.Optional;
import magnet.job.JobNames;
import magnet.job.Owners;
import magnet.record.RecordHandler;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;

/** Whose the events of a saved trace are, as of the record that was read last. For one thread. */
public final class SavedOwners {
    /** Says that a trace has no owners, and why. */
    public static final String UNTOLD = "the trace does not say whose its events are: it was saved by an older version,"
            + " or with rules or --sample on task_attach, cgroup_mkdir or cgroup_rmdir";

    private final Owners owners;
    private final Optional<TraceOwners> told;

    private SavedOwners(Owners owners, Optional<TraceOwners> told) {
        this.owners = owners;
        this.told = told;
        told.ifPresent(known -> {
            known.paths().forEach(owners::tellCgroup);
            known.cgroups().forEach(owners::tell);
        });
    }

    /**
     * Those of a trace that has not been read yet, by the list of jobs of this machine.
     *
     * @throws IOException if nobody can be told that the list cannot be read
     */
    public static SavedOwners of(TraceReader trace, World world) throws IOException {
        Optional<TraceOwners> told = trace.owners();
        JobNames names = told.isPresent() ? OwnerPoints.names(world) : JobNames.none();
        return new SavedOwners(new Owners(names), told);
    }

    /** Whether the trace tells owners. */
    public boolean areTold() {
        return told.isPresent();
    }

    /** Whose processes are. */
    public Owners owners() {
        return owners;
    }

    /** Whether records of an event are there for the owners' sake only. */
    public boolean hides(int event) {
        return told.isPresent() && told.get().hides(event);
    }

    /** Says where owners had no room, if anywhere. */
    public void tellWithoutRoom(World world) throws IOException {
        Optional<String> lacking = OwnerPoints.withoutRoom(owners);
        if (lacking.isPresent()) {
            world.tell(lacking.get());
        }
    }

    /** Hands all records to the owners, and those that somebody asked for when the trace was saved to somebody else as well. */
    public RecordHandler before(RecordHandler next) {
        return owners.andThen(new HidingHandler(this::hides, next));
    }
}
