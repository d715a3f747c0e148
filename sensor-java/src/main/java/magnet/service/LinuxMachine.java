// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import magnet.os.MonotonicClock;
import magnet.summary.Machine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What /proc and the module's control files say of this machine. For one thread. */
public final class LinuxMachine implements Machine {
    private static final Logger LOGGER = LoggerFactory.getLogger(LinuxMachine.class);
    private static final String SYSTEM_CALLS = "syscalls-amd64.txt";

    private final Path proc;
    private final Path dropReasons;
    private final MonotonicClock clock;
    private final String architecture;
    private @Nullable Map<Integer, String> systemCalls;

    /**
     * @param proc where proc is mounted
     * @param dropReasons the module's control file
     * @param clock CLOCK_MONOTONIC
     * @param architecture as Java calls it
     */
    public LinuxMachine(Path proc, Path dropReasons, MonotonicClock clock, String architecture) {
        this.proc = proc;
        this.dropReasons = dropReasons;
        this.clock = clock;
        this.architecture = architecture;
    }

    /** The one that this runs on. */
    static LinuxMachine running(MonotonicClock clock) {
        return new LinuxMachine(
                Path.of("/proc"),
                Path.of("/sys/kernel/debug/magnet/control/drop_reasons"),
                clock,
                System.getProperty("os.arch", ""));
    }

    @Override
    public String processName(int process) {
        try {
            return new String(
                            Files.readAllBytes(
                                    proc.resolve(String.valueOf(process)).resolve("comm")),
                            StandardCharsets.ISO_8859_1)
                    .strip();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public String systemCallName(int number) {
        Map<Integer, String> names = systemCalls;
        if (names == null) {
            names = architecture.equals("amd64") ? readSystemCalls() : Map.of();
            systemCalls = names;
        }
        return names.getOrDefault(number, "call " + number);
    }

    private static Map<Integer, String> readSystemCalls() {
        try (InputStream in = LinuxMachine.class.getResourceAsStream(SYSTEM_CALLS)) {
            if (in == null) {
                throw new IllegalStateException("no " + SYSTEM_CALLS + " in the jar");
            }
            return numbered(new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<Integer, String> dropReasons() {
        try (BufferedReader lines = Files.newBufferedReader(dropReasons)) {
            return numbered(lines);
        } catch (IOException e) {
            LOGGER.info("cannot read {}, so that all drops are of reason other", dropReasons);
            return Map.of();
        }
    }

    /** Lines of a number and a name; comments begin with {@code #}. */
    private static Map<Integer, String> numbered(BufferedReader lines) throws IOException {
        Map<Integer, String> names = new HashMap<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int space = line.indexOf(' ');
            if (space > 0 && !line.startsWith("#")) {
                names.put(Integer.valueOf(line.substring(0, space)), line.substring(space + 1));
            }
        }
        return names;
    }

    @Override
    public Processes processes() {
        long begin = clock.nanos();
        long count = 0;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[1-9]*")) {
            for (Path process : processes) {
                count += isAlive(process) ? 1 : 0;
            }
        } catch (IOException e) {
            LOGGER.warn("cannot count processes: {}", e.toString());
        }
        return new Processes(begin, clock.nanos(), count);
    }

    /** The state stands behind the name, which may have any character in it, parentheses too. */
    private static boolean isAlive(Path process) {
        try {
            String stat = new String(Files.readAllBytes(process.resolve("stat")), StandardCharsets.ISO_8859_1);
            int state = stat.lastIndexOf(") ") + 2;
            return stat.charAt(state) != 'Z' && stat.charAt(state) != 'X';
        } catch (IOException e) {
            return false;
        }
    }
}
