// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.record.RecordHandler;
import magnet.trace.NamingEvent;
import magnet.trace.RuleException;
import magnet.trace.RuleFilter;
import magnet.trace.TraceCopy;
import magnet.trace.TraceFormatException;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import magnet.trace.UnfinishedFolder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * Makes traces of what rules let through in others. All of them are whole, or none is there. Memory: that of one trace's reader,
 * twice. For one run.
 */
final class TraceFiltering {
    private final World world;
    private final Path output;
    private final String rules;
    private final List<Kept> results = new ArrayList<>();
    private int exitCode = ExitCode.OK;

    TraceFiltering(World world, Path output, String rules) {
        this.world = world;
        this.output = output;
        this.rules = rules;
    }

    /**
     * What became of a trace, or of all.
     *
     * @param events those that "magnet report" counts
     * @param kept those of them that the rules let through
     * @param besides what is there for names and owners only
     * @param lost events that were lost when it was saved
     */
    private record Kept(Path from, Path to, long events, long kept, long besides, long lost) {
        Map<String, Object> numbers() {
            Map<String, Object> numbers = new LinkedHashMap<>();
            numbers.put("events", events);
            numbers.put("kept", kept);
            numbers.put("kept_besides", besides);
            numbers.put("lost", lost);
            return numbers;
        }
    }

    /** Filters and says what came of it; returns the exit code. */
    int run(TraceFolders folders, boolean json) throws IOException {
        for (Path trace : folders.traces().values()) {
            check(trace);
        }
        try (UnfinishedFolder out = new UnfinishedFolder(output)) {
            filter(folders.traces(), out);
            out.finish();
        } catch (CancellationException e) {
            throw new Failure("interrupted: there is no trace in " + output);
        }
        for (Path other : folders.others()) {
            world.tell(other + " has no trace: it is left out");
        }
        tell(json);
        return exitCode;
    }

    /** A rule that is none is refused before anything is written. */
    private void check(Path folder) throws IOException {
        try (TraceReader trace = TraceReader.open(folder)) {
            try {
                new RuleFilter(trace, Formats.withSystemCalls(trace.words(), trace.machine()), rules, record -> {});
            } catch (RuleException e) {
                throw new RuleException(folder + ": " + e.getMessage());
            }
        }
    }

    private void filter(Map<String, Path> traces, UnfinishedFolder out) throws IOException {
        List<TraceCopy> copies = new ArrayList<>();
        try {
            for (Map.Entry<String, Path> each : traces.entrySet()) {
                copies.add(filter(each.getValue(), each.getKey(), out));
            }
            for (TraceCopy copy : copies) {
                copy.describe();
            }
        } catch (UncheckedIOException e) {
            throw incomplete(Objects.requireNonNull(e.getCause()));
        } catch (FileSystemException | TraceFormatException e) {
            throw incomplete(e);
        }
    }

    private static Failure incomplete(IOException e) {
        return new Failure(Complaint.about(e) + "; the incomplete trace is removed");
    }

    private TraceCopy filter(Path folder, String name, UnfinishedFolder out) throws IOException {
        try (TraceReader trace = TraceReader.open(folder);
                TraceCopy copy = new TraceCopy(trace, out, name)) {
            TraceOwners owners = trace.owners().orElse(null);
            RuleFilter filter = new RuleFilter(
                    trace,
                    Formats.withSystemCalls(trace.words(), trace.machine()),
                    rules,
                    event -> NamingEvent.isOne(event) || (owners != null && TraceOwners.isOne(event)),
                    copy);
            Hidden hidden = new Hidden();
            read(trace, hidden.before(owners, copy, filter));
            copy.end();
            results.add(new Kept(
                    folder,
                    output.resolve(name),
                    filter.passed() + filter.exempted() + filter.dropped(),
                    filter.passed(),
                    filter.exempted() + hidden.count,
                    copy.lost()));
            TraceRemarks remarks = new TraceRemarks(world, output.resolve(name).toString());
            remarks.tellUntold(filter);
            exitCode = Math.max(exitCode, remarks.tellDamage(trace));
            return copy;
        }
    }

    /** Events that are in a trace for the owners' sake only: no rule is asked, and nobody counts them. */
    private static final class Hidden {
        private long count;

        RecordHandler before(@Nullable TraceOwners owners, RecordHandler all, RecordHandler others) {
            return owners == null
                    ? others
                    : record -> {
                        if (owners.hides(record.event())) {
                            count++;
                            all.onRecord(record);
                        } else {
                            others.onRecord(record);
                        }
                    };
        }
    }

    private void read(TraceReader trace, RecordHandler handler) throws IOException {
        TraceProgress progress = new TraceProgress(world, "filtered", handler);
        progress.endWhenInterrupted();
        try {
            trace.read(progress);
        } finally {
            progress.clear();
        }
    }

    private void tell(boolean json) throws IOException {
        Kept all = sum();
        boolean several = results.size() > 1;
        world.tell(all.kept + " of " + Counted.of(all.events, "event")
                + (several ? " of " + results.size() + " traces" : "")
                + " kept in " + output
                + (all.besides == 0 ? "" : ", and " + all.besides + " besides that name threads or tell owners")
                + (all.lost == 0 ? "; none were lost" : "; " + Counted.of(all.lost, "was", "were") + " lost")
                + " when the trace" + (several ? "s were" : " was") + " saved");
        if (json) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("output", output.toString());
            object.putAll(all.numbers());
            List<Map<String, Object>> traces = new ArrayList<>();
            for (Kept each : results) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("trace", each.from.toString());
                one.put("output", each.to.toString());
                one.putAll(each.numbers());
                traces.add(one);
            }
            object.put("traces", traces);
            world.out().line(Json.of(object));
            world.out().flush();
        }
    }

    private Kept sum() {
        Kept sum = new Kept(output, output, 0, 0, 0, 0);
        for (Kept each : results) {
            sum = new Kept(
                    output,
                    output,
                    sum.events + each.events,
                    sum.kept + each.kept,
                    sum.besides + each.besides,
                    sum.lost + each.lost);
        }
        return sum;
    }
}
