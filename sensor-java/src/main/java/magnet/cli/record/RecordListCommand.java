// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.json.Json;
import magnet.magnetfs.BufferDirectory;
import magnet.recorder.Recorder;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet record ls}: the flight recorders that there are. */
@Command(
        name = "ls",
        header = "List the flight recorders.",
        description = {
            "",
            "HELD are the records that one holds now and a trace would have, OVERWRITTEN those that it has given up for"
                    + " younger ones, LOST the events that found no place in it, SINCE when it was started. Records are"
                    + " events, and what says how threads are called, whose they are and how clocks go.",
            "",
            "Also lists those made by \"magnet buffers --create NAME --flight-recorder\". Needs no right."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet record ls",
            "      # what goes on, since when, and how much it holds",
            "  magnet record ls --json",
            "      # the same for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class RecordListCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    RecordListCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        try (MagnetControl control = world.control().open()) {
            List<Recorder> recorders = Recorder.all(control);
            if (json) {
                List<Map<String, Object>> all = new ArrayList<>();
                recorders.forEach(each -> all.add(asMap(each)));
                world.out().line(Json.of(Map.of("recorders", all)));
            } else if (recorders.isEmpty()) {
                world.out().line("no flight recorders");
            } else {
                print(recorders);
            }
        }
        return ExitCode.OK;
    }

    private void print(List<Recorder> recorders) throws IOException {
        Table table = new Table("NAME", ">KIB/CPU", ">HELD", ">OVERWRITTEN", ">LOST", "SINCE", "POINTS");
        for (Recorder each : recorders) {
            table.row(
                    each.name(),
                    each.buffer().size() / 1024,
                    each.held(),
                    each.overwritten(),
                    each.buffer().lost(),
                    since(each)
                            .map(time -> TIME.format(time.atZone(world.zone().get())))
                            .orElse("unknown"),
                    each.points().isEmpty() ? "none" : String.join(",", each.points()));
        }
        table.print(world.out(), world.columns());
    }

    private Map<String, Object> asMap(Recorder recorder) {
        HitCounts hits = recorder.hits();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", recorder.name());
        map.put("points", recorder.points());
        map.put("bytes_per_cpu", recorder.buffer().size());
        map.put("hits", hits.hits());
        map.put("committed", hits.committed());
        map.put("records_held", recorder.held());
        map.put("bytes_held", recorder.heldBytes());
        map.put("records_overwritten", recorder.overwritten());
        map.put("records_saved", recorder.saved());
        map.put("lost", recorder.buffer().lost());
        since(recorder).ifPresent(time -> map.put("since", time.toString()));
        return map;
    }

    /** The kernel makes its files when it makes the recorder, and later none but those of CPUs that come. */
    private Optional<Instant> since(Recorder recorder) {
        try {
            BufferDirectory files = world.buffers().find(recorder.name());
            Instant first = Instant.MAX;
            for (int cpu : files.cpus()) {
                Instant made = Files.getLastModifiedTime(files.cpuFile(cpu)).toInstant();
                first = made.isBefore(first) ? made : first;
            }
            return first.equals(Instant.MAX) ? Optional.empty() : Optional.of(first);
        } catch (IOException e) {
            return Optional.empty(); // this user may not look
        }
    }
}
