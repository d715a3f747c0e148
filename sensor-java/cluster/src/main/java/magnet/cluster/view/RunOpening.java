// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import magnet.cli.trace.TraceFolders;
import magnet.cli.trace.TraceProgress;
import magnet.cli.trace.TraceRemarks;
import magnet.cli.world.Complaint;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.SavedOwners;
import magnet.cli.world.World;
import magnet.cluster.sync.ClusterClocks;
import magnet.cluster.sync.NodeClock;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.RunIndex;
import magnet.cluster.view.index.RunIndexer;
import magnet.cluster.view.index.TimeAxis;
import magnet.cluster.view.page.View;
import magnet.record.RecordHandler;
import magnet.trace.NamingEvent;
import magnet.trace.RuleException;
import magnet.trace.RuleFilter;
import magnet.trace.TraceClock;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * Makes a view of folders with traces, and says what it does not have. What is damaged is left out; a node whose trace cannot be
 * read at all is left out if there are others. For one run of the command.
 */
final class RunOpening {
    private final World world;
    private final String rules;
    private final List<String> remarks = new ArrayList<>();
    private final List<String> losses = new ArrayList<>();
    private final Map<String, TraceClock> clocks = new LinkedHashMap<>();
    private @Nullable ClusterClocks aligned;
    private int exitCode = ExitCode.OK;

    /** @param rules that decide which events are shown; empty for all */
    RunOpening(World world, String rules) {
        this.world = world;
        this.rules = rules;
    }

    /** 1 if something could not be read. */
    int exitCode() {
        return exitCode;
    }

    /**
     * Reads the traces.
     *
     * @param folders as the user named them
     * @param at an empty folder for the index; removed when that is closed
     */
    View open(List<Path> folders, Path at) throws IOException {
        TraceFolders found = TraceFolders.in(folders);
        for (Path other : found.others()) {
            tell(other + " has no trace: it is left out");
        }
        readClocks(folders);
        try (RunIndexer indexer = new RunIndexer(at, found.traces().size() > 1)) {
            int shown = 0;
            for (Map.Entry<String, Path> each : found.traces().entrySet()) {
                shown += add(
                                indexer,
                                each.getKey(),
                                each.getValue(),
                                found.traces().size() == 1)
                        ? 1
                        : 0;
            }
            if (shown == 0) {
                throw new Failure("there is nothing to show: no trace has an event");
            }
            RunIndex index = indexer.finish(this::align);
            tellClocks(index);
            if (!losses.isEmpty()) {
                tell("events were lost when the traces were saved (" + String.join(", ", losses)
                        + "); the times in which they happened are hatched");
            }
            return View.of(title(folders), index, aligned != null, remarks, bounds(index));
        } catch (CancellationException e) {
            throw new Failure("interrupted: nothing is shown");
        }
    }

    private static String title(List<Path> folders) {
        return String.join(" ", folders.stream().map(Path::toString).toList());
    }

    /** To those who started it, and to those who look. */
    private void tell(String remark) throws IOException {
        world.tell(remark);
        remarks.add(remark);
    }

    private boolean add(RunIndexer indexer, String key, Path folder, boolean alone) throws IOException {
        try (TraceReader trace = TraceReader.open(folder)) {
            String name = key.isEmpty() ? trace.host() : key;
            clocks.put(name, trace.clock());
            SavedOwners owners = SavedOwners.of(trace, world);
            Filtering filtering = new Filtering(trace);
            List<TraceProgress> progress = new ArrayList<>();
            NodeIndex node = indexer.add(name, trace, owners, filtering, next -> {
                progress.add(new TraceProgress(world, "of " + name + " indexed", next));
                progress.get(0).endWhenInterrupted();
                return progress.get(0);
            });
            progress.forEach(TraceProgress::clear);
            tellAbout(trace, node, filtering.filter);
            if (node.counts().events() == 0) {
                indexer.leaveOut(node);
                if (!alone) {
                    tell(name + ": the trace has no events; the node is left out");
                }
            }
            return node.counts().events() > 0;
        } catch (RuleException e) {
            throw e;
        } catch (IOException e) {
            if (alone) {
                throw e;
            }
            exitCode = ExitCode.SOFTWARE;
            tell(Complaint.about(e) + "; the node is left out");
            return false;
        }
    }

    /** Applies the rules, but to events that name threads or tell whose they are. */
    private final class Filtering implements RunIndexer.Between {
        private final TraceReader trace;
        private @Nullable RuleFilter filter;

        Filtering(TraceReader trace) {
            this.trace = trace;
        }

        @Override
        public RecordHandler before(RecordHandler next) throws IOException {
            if (rules.isEmpty()) {
                return next;
            }
            filter = new RuleFilter(
                    trace,
                    Formats.withSystemCalls(trace.words(), trace.machine()),
                    rules,
                    event -> NamingEvent.isOne(event) || TraceOwners.isOne(event),
                    next);
            return filter;
        }
    }

    private void tellAbout(TraceReader trace, NodeIndex node, @Nullable RuleFilter filter) throws IOException {
        exitCode = Math.max(exitCode, new TraceRemarks(world, "the picture").tell(trace, filter));
        if (!trace.defects().isEmpty()) {
            remarks.add(node.name() + ": parts of the trace are damaged or cut off, and left out");
        }
        for (String unread : trace.unread()) {
            remarks.add(unread + "; its events are not in the picture");
        }
        if (node.counts().events() > 0 && node.counts().switches() == 0) {
            tell(node.name()
                    + ": the trace has no context switches, so that nobody knows who ran; record sched_switch");
        }
        if (node.counts().lost() > 0) {
            losses.add(node.name() + ": " + node.counts().lost());
        }
        if (node.counts().impossible() > 0) {
            tell(node.name() + ": " + node.counts().impossible()
                    + " records have a time that cannot be right; they are left out");
        }
        if (node.counts().markersLeftOut() > 0) {
            tell(node.name() + ": " + node.counts().markersLeftOut() + " markers are left out; there are too many");
        }
    }

    /** What "magnet cluster sync" has found, if it was run. */
    private void readClocks(List<Path> folders) throws IOException {
        if (folders.size() == 1 && ClusterClocks.isIn(folders.get(0))) {
            try {
                aligned = ClusterClocks.read(folders.get(0));
            } catch (IOException e) {
                exitCode = ExitCode.SOFTWARE;
                tell(Complaint.about(e));
            }
        }
    }

    private Optional<NodeClock> clock(String node) {
        return aligned == null
                ? Optional.empty()
                : aligned.of(node).filter(clock -> clock.clock().equals(clocks.get(node)));
    }

    private NodeIndex align(NodeIndex node) {
        TimeAxis axis = node.axis();
        return clock(node.name())
                .map(clock -> node.with(new TimeAxis(
                        axis.ticksPerSecond(),
                        axis.beginNs(),
                        axis.originNs(),
                        clock.fromNs(),
                        clock.offsetFromNs(),
                        clock.rate())))
                .orElse(node);
    }

    private void tellClocks(RunIndex index) throws IOException {
        if (index.nodes().size() == 1) {
            return;
        }
        if (aligned == null) {
            tell("the clocks of the nodes were not aligned: packets may seem to arrive before they are sent;"
                    + " magnet cluster sync aligns them");
            return;
        }
        for (NodeIndex node : index.nodes()) {
            if (clock(node.name()).isEmpty()) {
                tell(node.name() + ": " + ClusterClocks.FILE
                        + " says nothing of this trace, so its clock is taken as it"
                        + " is; run magnet cluster sync again");
            }
        }
        if (index.arrows().early() > 0) {
            tell(index.arrows().early() + " packets arrive before they are sent: look at the bounds of the clocks");
        }
    }

    private View.ClockBounds bounds(RunIndex index) {
        ClusterClocks known = aligned;
        return known == null
                ? View.ClockBounds.UNKNOWN
                : (one, other, ns) -> known.halfWidthNs(
                        index.nodes().get(one).name(), index.nodes().get(other).name(), index.originNs() + ns);
    }
}
