// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import magnet.cli.world.Capability;
import magnet.cli.world.Complaint;
import magnet.cli.world.Lockdown;
import magnet.cli.world.World;
import magnet.control.ModuleInfo;
import magnet.os.TerminalSize;
import org.jspecify.annotations.Nullable;

/** Looks at the machine and at this process, whether or not there is a module. */
public final class MachineChecks {
    private static final long KIB = 1_024;
    private static final int LARGE_SHARE = 10;
    private static final String LOAD_FOR_GROUP =
            "load the module for a group: modprobe magnet gid=$(getent group magnet | cut -d: -f3)";

    private final World world;

    MachineChecks(World world) {
        this.world = world;
    }

    /** Whether native calls can be made, without which nothing else works. */
    Finding java() {
        String version = "Java " + Runtime.version();
        try {
            Optional<TerminalSize> unused = world.terminal().get();
            return Finding.ok("java", version + "; native calls work");
        } catch (UncheckedIOException e) {
            return Finding.failed(
                    "java",
                    version + ": " + Complaint.about(e),
                    "JNA unpacks its library into java.io.tmpdir, which must allow execution: name another folder by"
                            + " MAGNET_JAVA_OPTS=-Djna.tmpdir=FOLDER");
        }
    }

    Finding lockdown(boolean loaded) throws IOException {
        Lockdown lockdown = new Lockdown(world.lockdown());
        Optional<String> advice = lockdown.advice();
        if (advice.isEmpty()) {
            return Finding.ok("lockdown", "the kernel is not locked down");
        }
        String mode = advice.get().substring(0, advice.get().indexOf(':'));
        if (!loaded) {
            return Finding.warning(
                    "lockdown",
                    mode + ": the kernel refuses modules that are not signed with a key that it trusts",
                    "let DKMS sign magnet.ko and enrol its key (mokutil --import), or switch Secure Boot off, or boot"
                            + " without lockdown=");
        }
        return mode.equals("confidentiality")
                ? Finding.warning(
                        "lockdown",
                        "confidentiality: the module is loaded, but the kernel refuses debugfs, and may refuse probes",
                        "read by way of /dev/magnet; lockdown=integrity refuses less")
                : Finding.ok("lockdown", mode + "; the module is loaded all the same");
    }

    /** The right to switch something on, and what of it takes more. */
    Finding capabilities() throws IOException {
        Set<Capability> held = ownCapabilities();
        if (!Capability.mayChange(held)) {
            return Finding.failed(
                    "capabilities",
                    "neither CAP_PERFMON nor CAP_SYS_ADMIN: this user may ask the module, but switch nothing on",
                    "run it as root, or give the service CAP_PERFMON (systemd: AmbientCapabilities=CAP_PERFMON)");
        }
        String names = Stream.of(Capability.PERFMON, Capability.SYS_ADMIN)
                .filter(held::contains)
                .map(Capability::toString)
                .collect(joining(" and "));
        List<String> lacking = new ArrayList<>();
        if (!Capability.mayFetch(held)) {
            lacking.add("for points that fetch memory (CAP_BPF)");
        }
        if (!Capability.mayTakePackets(held)) {
            lacking.add("for packets' bytes (CAP_NET_RAW)");
        }
        return Finding.ok(
                "capabilities",
                names + ": enough to control the module"
                        + (lacking.isEmpty() ? "" : ", but not " + String.join(" and ", lacking)));
    }

    /** What this process may do. */
    Set<Capability> ownCapabilities() throws IOException {
        return Capability.of(world.processes().resolve("self"));
    }

    Finding debugfs(boolean loaded) throws IOException {
        boolean mounted = Files.readAllLines(world.processes().resolve("mounts")).stream()
                .map(line -> line.split(" ", -1))
                .anyMatch(mount ->
                        mount.length > 2 && mount[1].equals("/sys/kernel/debug") && mount[2].equals("debugfs"));
        String without = "\"magnet read -o\" saves no traces";
        if (!mounted) {
            return Finding.warning(
                    "debugfs",
                    "not mounted: " + without,
                    "mount -t debugfs debugfs /sys/kernel/debug; events are read from /dev/magnet all the same");
        }
        if (loaded && !Files.isReadable(world.format())) {
            return Finding.warning(
                    "debugfs",
                    "mounted, but " + world.format() + " cannot be read by this user: " + without,
                    "run it as root; events are read from /dev/magnet all the same");
        }
        return Finding.ok("debugfs", loaded ? "mounted; control files can be read" : "mounted");
    }

    /** The character nodes that services read without privileges. */
    Finding nodes() throws IOException {
        Path marker = world.root().resolve("dev/magnet/marker");
        if (!Files.exists(marker)) {
            return Finding.warning(
                    "nodes",
                    "there is no /dev/magnet: only root can read events, by way of debugfs",
                    "let the kernel make device nodes: mount -t devtmpfs devtmpfs /dev");
        }
        int group = (Integer) Files.getAttribute(marker, "unix:gid");
        if (!ownCapabilities().contains(Capability.DAC_OVERRIDE) && !groups().contains(group)) {
            return Finding.failed(
                    "nodes",
                    "/dev/magnet belongs to group " + group + ", which this user is not in: it cannot read events",
                    group == 0
                            ? LOAD_FOR_GROUP
                            : "let the user join the group: usermod -aG $(getent group " + group
                                    + " | cut -d: -f1) USER; or run it as root");
        }
        return group == 0
                ? Finding.warning(
                        "nodes",
                        "/dev/magnet belongs to group 0: no service without privileges can read events",
                        LOAD_FOR_GROUP)
                : Finding.ok("nodes", "/dev/magnet belongs to group " + group + ", whose members can read events");
    }

    /** @param loaded what the module says of itself; null = none is loaded that answers */
    Finding ftrace(@Nullable ModuleInfo loaded) throws IOException {
        Path file = world.processes().resolve("sys/kernel/ftrace_enabled");
        if (!Files.exists(file)) {
            return Finding.failed(
                    "ftrace",
                    "the kernel has no ftrace: points at the entry of functions cannot be hooked",
                    "boot a kernel with CONFIG_FUNCTION_TRACER, as distributions build theirs");
        }
        boolean off = loaded == null ? Files.readString(file).strip().equals("0") : loaded.ftraceDisabled();
        return off
                ? Finding.failed(
                        "ftrace",
                        "switched off: points at the entry of functions see nothing",
                        "sysctl kernel.ftrace_enabled=1")
                : Finding.ok("ftrace", "switched on");
    }

    /**
     * Whether the kernel calls anybody at kprobes. The file is root's, and not even that on a kernel that is locked down; the
     * module sees it by itself, but only while points are kprobes.
     *
     * @param loaded what the module says of itself; null = none is loaded that answers
     */
    Finding kprobes(@Nullable ModuleInfo loaded) {
        Optional<String> enabled = kprobesEnabled();
        if (enabled.map("0"::equals).orElse(loaded != null && loaded.kprobesDisabled())) {
            return Finding.failed(
                    "kprobes",
                    "switched off: points that are kprobes (p: and r:, and major_fault) see nothing",
                    "echo 1 >/sys/kernel/debug/kprobes/enabled");
        }
        return Finding.ok(
                "kprobes",
                enabled.isPresent()
                        ? "switched on"
                        : "not known to be switched off: /sys/kernel/debug/kprobes/enabled cannot be read");
    }

    private Optional<String> kprobesEnabled() {
        try {
            return Optional.of(Files.readString(world.root().resolve("sys/kernel/debug/kprobes/enabled"))
                    .strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Room for the service's buffer.
     *
     * @param bytesPerCpu its size
     */
    Finding memory(long bytesPerCpu) throws IOException {
        OptionalLong available = lines("meminfo")
                .filter(line -> line.startsWith("MemAvailable:"))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .map(kib -> kib * KIB)
                .findFirst();
        long cpus =
                lines("cpuinfo").filter(line -> line.startsWith("processor")).count();
        long needed = bytesPerCpu * Math.max(1, cpus);
        String what = "the service's buffer takes %d KiB on %d CPUs".formatted(needed / KIB, Math.max(1, cpus));
        if (available.isEmpty()) {
            return Finding.warning("memory", what + "; how much is free the kernel does not say", "");
        }
        what += ", %d KiB are free".formatted(available.getAsLong() / KIB);
        String remedy = "make collector.buffer-size in magnet.conf smaller";
        if (needed > available.getAsLong()) {
            return Finding.failed("memory", what, remedy);
        }
        return needed > available.getAsLong() / LARGE_SHARE
                ? Finding.warning("memory", what, remedy)
                : Finding.ok("memory", what);
    }

    private Stream<String> lines(String file) throws IOException {
        return Files.readAllLines(world.processes().resolve(file)).stream();
    }

    /** All groups of this process. */
    private List<Integer> groups() throws IOException {
        String[] own = status("Gid:").split("\\s+", -1);
        String all = own[1] + " " + status("Groups:");
        return Arrays.stream(all.strip().split("\\s+", -1))
                .map(Integer::valueOf)
                .toList();
    }

    private String status(String field) throws IOException {
        return lines("self/status")
                .filter(line -> line.startsWith(field))
                .map(line -> line.substring(field.length()).strip())
                .collect(joining());
    }
}
