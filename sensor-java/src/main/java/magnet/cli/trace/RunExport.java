// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.perfetto.PerfettoTrace;
import magnet.trace.TraceClock;
import magnet.trace.TraceReader;

/**
 * Writes the traces of a run as one archive for Perfetto: a trace for each node, and a manifest that says whose each is and how
 * far the clocks are apart (<a href="https://perfetto.dev/docs/reference/perfetto-manifest">its form</a>, version 1). For one run.
 */
final class RunExport {
    private static final String MANIFEST = "perfetto_manifest.json";
    private static final String SUFFIX = ".perfetto-trace";
    private static final String CLOCK = "BOOTTIME";

    private final World world;
    private final Exporting exporting;
    private final List<Member> members = new ArrayList<>();

    /** Writes one trace. */
    @FunctionalInterface
    interface Exporting {
        /** Writes it, says what came of it, and returns it. */
        PerfettoTrace write(TraceReader trace, OutputStream out) throws IOException;
    }

    /**
     * A trace that is in the archive.
     *
     * @param node its name
     * @param clock of the trace
     * @param begin what its clock says where it begins, nanoseconds since 1970
     * @param traceNs the time that the export has there
     */
    private record Member(String node, TraceClock clock, long begin, long traceNs) {
        String path() {
            return node + SUFFIX;
        }
    }

    RunExport(World world, Exporting exporting) {
        this.world = world;
        this.exporting = exporting;
    }

    /**
     * Writes the archive.
     *
     * @param run has a folder with a trace for each node
     * @param channel of a file that is empty
     */
    void write(Path run, FileChannel channel) throws IOException {
        TraceFolders found = TraceFolders.in(List.of(run));
        if (found.traces().containsKey("")) {
            throw new Failure(run + " is a trace of one node; without --cluster it becomes a file for Perfetto");
        }
        for (Path other : found.others()) {
            world.tell(other + " has no trace: it is left out");
        }
        Optional<ClockOffsets.Aligned> aligned = aligned(run);
        TarFile tar = new TarFile(channel, world.wall().millis() / 1_000);
        for (Map.Entry<String, Path> each : found.traces().entrySet()) {
            if ((each.getKey() + SUFFIX).getBytes(StandardCharsets.UTF_8).length > TarFile.NAME_MOST) {
                throw new Failure(each.getKey() + ": the name is too long for an archive; rename the folder");
            }
            try (TraceReader trace = TraceReader.open(each.getValue())) {
                tar.add(each.getKey() + SUFFIX, out -> add(each.getKey(), trace, out));
            }
        }
        String manifest = Json.of(Map.of("perfetto_manifest", manifest(aligned)));
        tar.add(MANIFEST, out -> out.write((manifest + "\n").getBytes(StandardCharsets.UTF_8)));
        tar.finish();
    }

    private void add(String node, TraceReader trace, OutputStream out) throws IOException {
        PerfettoTrace written = exporting.write(trace, out);
        members.add(new Member(node, trace.clock(), trace.clock().realtimeNs(written.beginTimer()), written.beginNs()));
    }

    private Optional<ClockOffsets.Aligned> aligned(Path run) throws IOException {
        for (ClockOffsets each : ServiceLoader.load(ClockOffsets.class)) {
            Optional<ClockOffsets.Aligned> aligned = each.read(run);
            if (aligned.isPresent()) {
                return aligned;
            }
        }
        world.tell(
                "the clocks of the nodes were not aligned: their own wall clocks place the traces; magnet cluster sync"
                        + " aligns them");
        return Optional.empty();
    }

    private Map<String, Object> manifest(Optional<ClockOffsets.Aligned> aligned) throws IOException {
        Member first = members.get(0);
        List<Object> files = new ArrayList<>();
        for (Member each : members) {
            Map<String, Object> file = new LinkedHashMap<>();
            file.put("path", each.path());
            file.put("machine", Map.of("name", each.node));
            if (!each.equals(first)) {
                Map<String, Object> clocks = new LinkedHashMap<>();
                clocks.put("clock", CLOCK);
                Map<String, Object> reference = new LinkedHashMap<>();
                reference.put("file", first.path());
                reference.put("clock", CLOCK);
                clocks.put("sync_to", reference);
                clocks.put("offset_ns", offsetNs(first, each, aligned));
                file.put("clocks", clocks);
            }
            files.add(file);
        }
        Map<String, Object> manifest = new LinkedHashMap<>();
        manifest.put("version", 1);
        Map<String, Object> time = new LinkedHashMap<>();
        time.put("clock", CLOCK);
        time.put("file", first.path());
        manifest.put("trace_time", time);
        manifest.put("files", files);
        return manifest;
    }

    /** How far the first node's time in its export is ahead of this node's in its own, at one instant. */
    private long offsetNs(Member first, Member each, Optional<ClockOffsets.Aligned> aligned) throws IOException {
        return each.begin
                - each.traceNs
                + together(each, aligned)
                - (first.begin - first.traceNs + together(first, aligned));
    }

    /** What is to be added to a node's time, where its trace begins. */
    private long together(Member member, Optional<ClockOffsets.Aligned> aligned) throws IOException {
        if (aligned.isEmpty()) {
            return 0;
        }
        OptionalLong together = aligned.get().together(member.node, member.clock, member.begin);
        if (together.isEmpty()) {
            world.tell(
                    member.node + ": nothing is known of the clock of this trace, so it is taken as it is; run magnet"
                            + " cluster sync again");
            return 0;
        }
        return together.getAsLong() - member.begin;
    }
}
