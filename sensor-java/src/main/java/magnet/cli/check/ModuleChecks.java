// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.ModuleFile;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.ClockSource;
import magnet.control.ControlException;
import magnet.control.HeldBack;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.control.SubscriptionInfo;
import magnet.machine.CgroupHierarchy;
import magnet.machine.UnwatchedJobs;
import magnet.magnetfs.BufferDirectory;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.os.DataFile;
import magnet.record.EventType;

/** Looks at the module that is loaded, and asks it to do what it is there for. */
public final class ModuleChecks {
    /** Clock sources that are the processor's counter under another name: a KVM guest's TSC, and what arm64 has for one. */
    private static final Set<String> COUNTER_SOURCES = Set.of("kvm-clock", "arch_sys_counter");

    private static final long BUFFER_BYTES = 64 * 1024;
    /** There is no machine on which no thread is switched to in this time: this very one sleeps. */
    private static final long EVENTS_MS = 50;

    private static final String EXCHANGE = "magnet unload && modprobe magnet && systemctl restart magnetd";

    private static final String WITNESS = EventType.SCHED_SWITCH.label();

    private final World world;
    private final String buffer = "check-" + ProcessHandle.current().pid();

    ModuleChecks(World world) {
        this.world = world;
    }

    /** What is wrong where the module does not answer. */
    Finding silent(IOException e, boolean notLoaded) throws IOException {
        if (!notLoaded) {
            return Finding.failed(
                    "module", Complaint.about(e), "install module and program of one version, then " + EXCHANGE);
        }
        if (Files.exists(world.root().resolve("sys/module/magnet"))) {
            return Finding.failed(
                    "module",
                    "it is loaded, but does not answer: it is just being loaded or removed",
                    "ask again; dmesg says more if it stays so");
        }
        Optional<HeldBack> heldBack = HeldBack.find(world.root());
        if (heldBack.isPresent()) {
            return Finding.failed(
                    "module",
                    "not loaded, but " + heldBack.get().text(),
                    "find out why; then magnet load --anyway && systemctl start magnetd");
        }
        ModuleFile file = ModuleFile.ofRunningKernel(world);
        return file.isInstalled()
                ? Finding.failed("module", "not loaded", "modprobe magnet")
                : Finding.failed(
                        "module",
                        "not loaded, and there is no magnet.ko for kernel " + file.release() + " in /lib/modules",
                        file.remedy());
    }

    Finding version(ModuleInfo info) {
        String what = "loaded, version " + info.version() + ", ABI " + info.abiVersion();
        String own =
                new VersionProvider().getVersion()[0].replace("magnet ", "").replace("-SNAPSHOT", "");
        return own.startsWith("(") || own.equals(info.version())
                ? Finding.ok("module", what)
                : Finding.warning(
                        "module",
                        what + "; this program has version " + own + " of the same ABI",
                        "install both of one version, then " + EXCHANGE);
    }

    Finding clock(ModuleInfo info) throws IOException {
        Path sources = world.root().resolve("sys/devices/system/clocksource/clocksource0");
        String current = read(sources.resolve("current_clocksource"));
        List<String> available =
                Arrays.asList(read(sources.resolve("available_clocksource")).split(" ", -1));
        String kernels = "the kernel's own clock source is " + (current.isEmpty() ? "not known" : current);
        if (info.clock() == ClockSource.MONO) {
            return Finding.warning(
                    "clock",
                    "time stamps are CLOCK_MONOTONIC, which takes longer than to read the TSC; " + kernels,
                    "if the kernel calls the TSC unstable (dmesg | grep -i tsc), look for the cause in firmware or"
                            + " hypervisor; nothing to do on machines without one");
        }
        if (info.clockUnstable()) {
            return Finding.failed(
                    "clock",
                    "the kernel called the TSC unstable after the module chose it: time stamps of two CPUs cannot be"
                            + " compared; " + kernels,
                    "load the module with clock=mono");
        }
        String what = "time stamps by TSC, %d kHz; %s".formatted(info.ticksPerMilli(), kernels);
        return current.isEmpty() || available.contains("tsc") || COUNTER_SOURCES.contains(current)
                ? Finding.ok("clock", what)
                : Finding.warning(
                        "clock",
                        what + ", and it does not offer the TSC: time stamps of two CPUs may not fit together",
                        "load the module with clock=mono");
    }

    /** Of the cgroups that name jobs, where there is more to say than that they are those of version 2. */
    List<Finding> jobs() throws IOException {
        CgroupHierarchy watched = CgroupHierarchy.watched(world.root());
        if (!watched.isUnified() && watched.mount(world.root()).isEmpty()) {
            return List.of(Finding.warning(
                    "jobs",
                    watched + " is not mounted, and the module was loaded with job_hierarchy=" + watched.name()
                            + ": it knows no job",
                    "mount it before the batch system starts, or load the module without job_hierarchy="));
        }
        Optional<UnwatchedJobs> unwatched =
                UnwatchedJobs.find(world.root(), world.processes(), OwnerPoints.namesInSilence(world)::nameOf);
        if (unwatched.isPresent()) {
            return List.of(Finding.warning(
                    "jobs",
                    unwatched.get() + ": it does not know whose their events are",
                    "options magnet " + unwatched.get().parameter() + " in a file of /etc/modprobe.d, then "
                            + EXCHANGE));
        }
        return watched.isUnified() ? List.of() : List.of(Finding.ok("jobs", "their names come from " + watched));
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** One finding for all points, and one for each that this kernel lacks, with the metrics that so are absent. */
    List<Finding> points(List<PointInfo> points) {
        Map<String, PointInfo> byName = new HashMap<>();
        points.forEach(point -> byName.put(point.name(), point));
        Set<EventType> missing = EnumSet.noneOf(EventType.class);
        for (EventType event : Metrics.eventsOf(Metrics.ALL)) {
            PointInfo point = byName.get(event.label());
            if (point == null || !point.isAvailable()) {
                missing.add(event);
            }
        }
        List<Finding> findings = new ArrayList<>();
        long there = points.stream().filter(PointInfo::isAvailable).count();
        findings.add(Finding.ok(
                "points", there + " of " + points.size() + (there == 1 ? " is" : " are") + " on this kernel"));
        for (EventType event : missing) {
            findings.add(Finding.warning(
                    "point " + event.label(),
                    Optional.ofNullable(byName.get(event.label()))
                                    .map(point -> "this kernel has none of " + tried(point))
                                    .orElse("this module does not have it")
                            + "; metrics that are absent: " + absent(event),
                    "none on this kernel; all else works without"));
        }
        for (PointInfo point : points) {
            if (point.isAvailable() && !point.isComplete()) {
                findings.add(Finding.warning(
                        "point " + point.name(),
                        "sees only a part: this kernel has none of " + tried(point),
                        "none on this kernel; its metrics count the rest"));
            }
        }
        return findings;
    }

    private static String tried(PointInfo point) {
        List<String> names = new ArrayList<>();
        for (PointFunction function : point.functions()) {
            if (function.state() == PointFunction.State.UNRESOLVED) {
                names.addAll(function.tried());
            }
        }
        return String.join(", ", names);
    }

    private static String absent(EventType event) {
        return String.join(
                ", ",
                Metrics.ALL.stream()
                        .filter(metric -> metric.events().contains(event))
                        .map(Metric::name)
                        .toList());
    }

    /**
     * Hooks each point that is there for a moment, logging nothing of it but of one that is hit all the time, and opens
     * the files that its events are read from.
     */
    List<Finding> hooks(MagnetControl control, List<PointInfo> points) throws IOException {
        try {
            control.createBuffer(buffer, BUFFER_BYTES, Set.of());
        } catch (ControlException e) {
            return List.of(Finding.failed("hooks", Complaint.about(e), "see capabilities, or make room"));
        }
        try {
            List<Finding> findings = new ArrayList<>();
            int hooked = 0;
            for (PointInfo point : points) {
                if (point.isAvailable()) {
                    Optional<Finding> failed = hook(control, point.name());
                    failed.ifPresent(findings::add);
                    hooked += failed.isEmpty() ? 1 : 0;
                }
            }
            findings.add(0, Finding.ok("hooks", Counted.of(hooked, "point") + " could be hooked and let go of again"));
            findings.add(events(control));
            findings.add(files());
            return findings;
        } finally {
            control.removeBuffer(buffer);
        }
    }

    private Optional<Finding> hook(MagnetControl control, String point) throws IOException {
        Selection nothing = Selection.NONE.withRules("drop");
        try {
            control.subscribe(point, buffer, Set.of(), point.equals(WITNESS) ? Selection.NONE : nothing);
            return Optional.empty();
        } catch (ControlException e) {
            return Optional.of(Finding.failed(
                    "point " + point,
                    "it is there, but cannot be hooked: " + e.kernelText().orElse(Complaint.about(e)),
                    "see dmesg; another tracer may be in the way (cat /sys/kernel/tracing/enabled_functions)"));
        }
    }

    private Finding events(MagnetControl control) throws IOException {
        try {
            Thread.sleep(EVENTS_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long committed = control.subscriptions().stream()
                .filter(each -> each.buffer().equals(buffer) && each.point().equals(WITNESS))
                .map(SubscriptionInfo::total)
                .mapToLong(total -> total.committed())
                .sum();
        return committed > 0
                ? Finding.ok(
                        "events",
                        Counted.of(committed, "of " + WITNESS + " was", "of " + WITNESS + " were") + " logged in "
                                + EVENTS_MS + " ms")
                : Finding.failed(
                        "events",
                        "no " + WITNESS + " was logged in " + EVENTS_MS
                                + " ms, though threads are switched all the time",
                        "see dmesg; a storm guard or a disabled point may be in the way (magnet points)");
    }

    private Finding files() throws IOException {
        try {
            BufferDirectory directory = world.buffers().find(buffer);
            for (int cpu : directory.cpus()) {
                DataFile.open(directory.cpuFile(cpu)).close();
            }
            return Finding.ok("files", Counted.of(directory.cpus().size(), "data file") + " could be opened");
        } catch (IOException e) {
            return Finding.failed("files", Complaint.about(e), "see nodes and debugfs");
        }
    }

    /** Of each buffer that loses. */
    List<Finding> losses(List<BufferInfo> buffers) {
        List<Finding> findings = new ArrayList<>();
        for (BufferInfo each : buffers) {
            if (each.lost() > 0) {
                findings.add(Finding.warning(
                        "losses",
                        "buffer " + each.name() + " has lost " + Counted.of(each.lost(), "event")
                                + ": figures made from its events are too low",
                        "make it larger (for the service, collector.buffer-size in magnet.conf; magnet buffers"
                                + " --resize), or watch fewer points; magnet status says which lost them"));
            }
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("losses", "no buffer has lost an event"));
        }
        return findings;
    }
}
