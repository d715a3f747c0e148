// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import magnet.os.MonotonicClock;
import magnet.os.ThreadComm;
import magnet.summary.Machine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What /proc, sysfs and the module say of this machine. Thread-safe. */
public final class LinuxMachine implements Machine {
    private static final Logger LOGGER = LoggerFactory.getLogger(LinuxMachine.class);

    private final Path proc;
    private final Map<Integer, String> dropReasons;
    private final MonotonicClock clock;
    private final String architecture;
    private final NetworkDevices devices;
    private volatile @Nullable Map<Integer, String> systemCalls;
    private volatile @Nullable NetworkNamespace network;

    /**
     * @param proc where proc is mounted
     * @param dropReasons what the module calls the kernel's reasons to drop a packet
     * @param clock CLOCK_MONOTONIC
     * @param architecture as Java calls it
     * @param devices where sysfs shows the network devices
     */
    public LinuxMachine(
            Path proc, Map<Integer, String> dropReasons, MonotonicClock clock, String architecture, Path devices) {
        this.proc = proc;
        this.dropReasons = Map.copyOf(dropReasons);
        this.clock = clock;
        this.architecture = architecture;
        this.devices = new NetworkDevices(proc, devices);
    }

    /** The one that this runs on. */
    public static LinuxMachine running(MonotonicClock clock, Map<Integer, String> dropReasons) {
        return new LinuxMachine(
                Path.of("/proc"), dropReasons, clock, System.getProperty("os.arch", ""), Path.of("/sys/class/net"));
    }

    @Override
    public String processName(int process) {
        return ThreadComm.of(proc, process);
    }

    @Override
    public String systemCallName(int number) {
        Map<Integer, String> names = systemCalls;
        if (names == null) {
            names = SystemCalls.of(architecture).own();
            systemCalls = names;
        }
        return names.getOrDefault(number, "call " + number);
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return dropReasons;
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

    @Override
    public NetworkNamespace network() {
        NetworkNamespace now = network;
        if (now == null) {
            now = devices.network();
            network = now;
        }
        return now;
    }

    @Override
    public void lookAround() {
        network = devices.network();
        systemCallName(0);
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
