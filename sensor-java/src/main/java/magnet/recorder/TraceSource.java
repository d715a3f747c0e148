// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.control.ClockSource;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.machine.SystemCalls;
import magnet.record.RecordLayout;
import magnet.trace.AbiFormat;
import magnet.trace.TraceClock;
import magnet.trace.TraceWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a trace says of the machine that it comes from. Stateless. */
public final class TraceSource {
    private static final Logger LOGGER = LoggerFactory.getLogger(TraceSource.class);

    private TraceSource() {}

    /**
     * Where records come from, as of when the module was asked.
     *
     * @param processes the folder with a folder for each process
     */
    public static TraceWriter.Origin origin(MagnetControl control, ModuleInfo module, Path processes)
            throws IOException {
        TraceClock clock = TraceClock.of(
                module.clock() == ClockSource.MONO, module.ticksPerMilli(), module.timer(), module.realtimeNs());
        return new TraceWriter.Origin(
                module.layout(),
                clock,
                module.abiVersion(),
                host(processes),
                SystemCalls.runningMachine(),
                control.dropReasons());
    }

    /** What the machine is called; empty if nobody says. */
    public static String host(Path processes) throws IOException {
        Path host = processes.resolve("sys/kernel/hostname");
        return Files.exists(host) ? Files.readString(host).strip() : "";
    }

    /**
     * What records look like: as the module says, or, where that cannot be read, as the ABI has it.
     *
     * @param file the module's control file {@code format}
     */
    public static List<String> format(MagnetControl control, RecordLayout layout, Path file) throws IOException {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            LOGGER.debug("no {}: {}", file, e.toString());
            Map<Integer, String> names = new HashMap<>();
            for (PointInfo point : control.points()) {
                names.put(point.event(), point.name());
            }
            return AbiFormat.lines(layout, names);
        }
    }
}
