// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import magnet.cluster.wire.Id;
import magnet.json.Json;
import magnet.os.ClockQuality;

/**
 * What is written beside a trace: the run, and how far it was: {@code RUN/HOST.json} beside {@code RUN/HOST/}. Instants are
 * nanoseconds since 1970, as texts: a number of JSON need not have as many digits. Immutable.
 *
 * @param run the run
 * @param progress how far it was
 * @param writtenNs when that was
 */
public record RunFile(Run run, Progress progress, long writtenNs) {
    /** The file of a node in a run's folder. */
    public static Path in(Path runFolder, String host) {
        return runFolder.resolve(host + ".json");
    }

    /** Writes it; who reads it meanwhile has the old one or the new one. */
    void write(Path file, String host) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("run", run.name());
        all.put("id", run.id().toString());
        all.put("profile", run.profile());
        all.put("host", host);
        all.put("at_ns", Long.toString(run.atNs()));
        all.put("duration_ns", Long.toString(run.durationNs()));
        all.put("state", progress.state().label());
        all.put("end_ns", Long.toString(progress.endNs()));
        all.put("opened_ns", Long.toString(progress.openedNs()));
        all.put("events", progress.events());
        all.put("lost", progress.lost());
        all.put("bytes", progress.bytes());
        all.put("parts", progress.parts());
        all.put("cpu_ns", Long.toString(progress.cpuNs()));
        progress.begin().ifPresent(clock -> all.put("clock_at_begin", clock(clock)));
        progress.end().ifPresent(clock -> all.put("clock_at_end", clock(clock)));
        all.put("gaps", progress.gaps().stream().map(RunFile::gap).toList());
        all.put("reason", progress.reason());
        all.put("written_ns", Long.toString(writtenNs));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(fresh, Json.of(all) + "\n", StandardCharsets.UTF_8);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
    }

    private static Map<String, Object> clock(ClockQuality clock) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("synchronised", clock.synchronised());
        fields.put("max_error_us", clock.maxErrorUs());
        fields.put("estimated_error_us", clock.estimatedErrorUs());
        fields.put("frequency_ppm", clock.frequencyPpm());
        return fields;
    }

    private static Map<String, Object> gap(Progress.Gap gap) {
        return Map.of("from_ns", Long.toString(gap.fromNs()), "to_ns", Long.toString(gap.toNs()));
    }

    /**
     * Reads one.
     *
     * @throws IOException if it cannot be read, or is none
     */
    public static RunFile read(Path file) throws IOException {
        Map<String, Object> all = Json.object(Files.readString(file));
        try {
            Run run = new Run(
                    Id.parse(text(all, "id")), text(all, "profile"), number(all, "at_ns"), number(all, "duration_ns"));
            Progress progress = new Progress(
                    RecordingState.ofLabel(text(all, "state")),
                    number(all, "end_ns"),
                    number(all, "opened_ns"),
                    count(all, "events"),
                    count(all, "lost"),
                    count(all, "bytes"),
                    (int) count(all, "parts"),
                    number(all, "cpu_ns"),
                    clock(all, "clock_at_begin"),
                    clock(all, "clock_at_end"),
                    gaps(all),
                    text(all, "reason"));
            return new RunFile(run, progress, number(all, "written_ns"));
        } catch (IllegalArgumentException | ClassCastException | NullPointerException e) {
            throw new IOException(file + ": it says nothing of a run that can be understood", e);
        }
    }

    private static String text(Map<?, ?> all, String key) {
        return (String) Objects.requireNonNull(all.get(key), key);
    }

    private static long number(Map<?, ?> all, String key) {
        return Long.parseLong(text(all, key));
    }

    private static long count(Map<?, ?> all, String key) {
        return ((Double) Objects.requireNonNull(all.get(key), key)).longValue();
    }

    private static Optional<ClockQuality> clock(Map<?, ?> all, String key) {
        Map<?, ?> clock = (Map<?, ?>) all.get(key);
        return clock == null
                ? Optional.empty()
                : Optional.of(new ClockQuality(
                        (Boolean) Objects.requireNonNull(clock.get("synchronised")),
                        count(clock, "max_error_us"),
                        count(clock, "estimated_error_us"),
                        (Double) Objects.requireNonNull(clock.get("frequency_ppm"))));
    }

    private static List<Progress.Gap> gaps(Map<?, ?> all) {
        List<Progress.Gap> gaps = new ArrayList<>();
        for (Object each : (List<?>) Objects.requireNonNull(all.get("gaps"))) {
            gaps.add(new Progress.Gap(number((Map<?, ?>) each, "from_ns"), number((Map<?, ?>) each, "to_ns")));
        }
        return gaps;
    }
}
