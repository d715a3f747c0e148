// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import magnet.cli.world.Capability;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Processes;
import magnet.cli.world.World;
import magnet.config.ConfigException;
import magnet.config.HandlerConfig;
import magnet.control.BufferInfo;
import magnet.control.ModuleInfo;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.publish.ganglia.SendChannel;
import magnet.service.Setup;
import magnet.service.SetupFiles;
import org.jspecify.annotations.Nullable;

/** Looks at what the service is set up by, where it sends to, and whether it runs. */
public final class ServiceChecks {
    private static final String SERVICE_BUFFER = "magnetd";

    private final World world;
    private final SetupFiles files;
    private @Nullable Setup setup;

    /** @param config the configuration that was asked for, if any */
    ServiceChecks(World world, Optional<Path> config) {
        this.world = world;
        this.files = new SetupFiles(config, world.config());
    }

    /** What the configuration says, if it can be used; after {@link #configuration}. */
    Optional<Setup> setup() {
        return Optional.ofNullable(setup);
    }

    List<Finding> configuration() {
        List<Finding> findings = new ArrayList<>();
        Finding good = Finding.ok(
                "magnet.conf",
                Files.exists(files.magnetConf())
                        ? files.magnetConf() + " is good"
                        : "no " + files.magnetConf() + ": what is built in counts");
        try {
            Setup read = files.read();
            setup = read;
            findings.add(good);
            findings.add(gmond(read));
            read.gmond()
                    .complaints()
                    .forEach(line -> findings.add(Finding.warning("gmond.conf", line, "mend it; the rest counts")));
            replaced(read).ifPresent(findings::add);
            for (SendChannel channel : read.gmond().channels()) {
                findings.add(channel(channel));
            }
        } catch (ConfigException e) {
            findings.add(Finding.failed(
                    "magnet.conf", String.valueOf(e.getMessage()), "mend it; magnetd does not start with it"));
            findings.add(Finding.skipped("gmond.conf", "magnet.conf says where it is"));
        } catch (GmondConfigException e) {
            findings.add(good);
            findings.add(Finding.failed(
                    "gmond.conf", String.valueOf(e.getMessage()), "mend it; magnetd does not start with it"));
        }
        return findings;
    }

    private static Finding gmond(Setup setup) {
        GmondConfig gmond = setup.gmond();
        String file = setup.magnet().gmondConf().toString();
        if (!setup.enabled()) {
            return Finding.warning(
                    "gmond.conf",
                    "module magnet has enabled = no there: nothing is watched and published",
                    "let it have enabled = yes, then systemctl reload magnetd");
        }
        if (gmond.fallback()) {
            return Finding.warning(
                    "gmond.conf",
                    "no " + file + ": the service sends to " + gmond.channels().get(0) + ", as gmetric does",
                    "install gmond, or name its file by gmond-conf in section ganglia of magnet.conf");
        }
        int channels = gmond.channels().size();
        return Finding.ok(
                "gmond.conf",
                file + " is good, " + Counted.of(channels, "send channel")
                        + (gmond.mute() ? "; its mute = yes is for gmond itself" : ""));
    }

    /** Nothing where gmond and magnet publish different metrics. */
    private static Optional<Finding> replaced(Setup setup) {
        List<String> twice = setup.collectedTwice();
        return twice.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.warning(
                        "replace",
                        "gmond still collects what replace takes the place of: " + String.join(", ", twice),
                        "take it out of the collection groups of "
                                + setup.magnet().gmondConf() + ", or both write the same graphs"));
    }

    /** Whether there is a way to it; nothing is sent. */
    private Finding channel(SendChannel channel) {
        String check = "channel";
        try {
            return Finding.ok(check, channel + ": " + world.route().find(channel));
        } catch (UnknownHostException e) {
            return Finding.failed(
                    check,
                    channel + ": the name " + channel.host() + " cannot be resolved, so nothing is sent there",
                    "mend host in gmond.conf, or the name service (getent hosts " + channel.host() + ")");
        } catch (IOException e) {
            return Finding.failed(
                    check,
                    channel + ": there is no way to it: " + Complaint.about(e),
                    "see ip route get; multicast needs a route or mcast_if in gmond.conf");
        }
    }

    /**
     * Whether points can be inserted, which some installations forbid.
     *
     * @param loaded what the module says of itself
     */
    Finding dynamic(ModuleInfo loaded) {
        if (!loaded.dynamicDisabled()) {
            return Finding.ok("dynamic", "points can be inserted");
        }
        String what = "the module was loaded with dynamic=off: no points can be inserted";
        String names = names(HandlerConfig::hasDefinition);
        return names.isEmpty()
                ? Finding.ok("dynamic", what)
                : Finding.failed(
                        "dynamic",
                        what + ", and so these handlers of magnet.conf have none: " + names,
                        "let them have predefined points, or load the module without dynamic=off");
    }

    /**
     * The rights that the configuration asks for: of the service's process, or of this one where it does not run.
     *
     * @param own what this process may do
     */
    Finding rights(Set<Capability> own) throws IOException {
        String names = names(HandlerConfig::fetchesMemory);
        if (names.isEmpty()) {
            return Finding.ok("rights", "magnet.conf asks for what CAP_PERFMON is enough for");
        }
        String what = "these handlers of magnet.conf fetch memory, which takes CAP_BPF with CAP_PERFMON: " + names;
        OptionalLong process = new Processes(world.processes()).service();
        String who = process.isPresent() ? "magnetd" : "this user";
        Set<Capability> held = process.isPresent()
                ? Capability.of(world.processes().resolve(Long.toString(process.getAsLong())))
                : own;
        return Capability.mayFetch(held)
                ? Finding.ok("rights", what + "; " + who + " has both")
                : Finding.failed(
                        "rights",
                        what + "; " + who + " lacks "
                                + Stream.of(Capability.PERFMON, Capability.BPF)
                                        .filter(each -> !held.contains(each))
                                        .map(Capability::toString)
                                        .collect(joining(" and ")),
                        "systemctl edit magnetd: AmbientCapabilities=CAP_BPF and CapabilityBoundingSet=CAP_BPF in [Service];"
                                + " or let root insert the points (magnet points --insert)");
    }

    /** The configuration's handlers of a kind. */
    private String names(Predicate<HandlerConfig> which) {
        return setup().stream()
                .flatMap(each -> each.magnet().handlers().sections().stream())
                .filter(which)
                .map(HandlerConfig::name)
                .collect(joining(", "));
    }

    /**
     * The flight recorder that the configuration wants saved; empty if it wants none.
     *
     * @param buffers those of the module
     */
    Optional<Finding> recorder(List<BufferInfo> buffers) {
        return setup().flatMap(each -> each.magnet().recorder())
                .map(choice -> buffers.stream()
                                .anyMatch(buffer -> buffer.name().equals(choice.recorder()) && buffer.flightRecorder())
                        ? Finding.ok("recorder", "flight recorder " + choice.recorder() + " goes on")
                        : Finding.warning(
                                "recorder",
                                "there is no flight recorder " + choice.recorder() + ", so magnetd cannot save it",
                                "magnet record start " + choice.recorder()
                                        + " -p POINT; or leave recorder in [record] of magnet.conf empty"));
    }

    /** @param buffers those of the module, if it answers */
    Finding running(List<BufferInfo> buffers) throws IOException {
        OptionalLong process = new Processes(world.processes()).service();
        if (process.isPresent()) {
            return Finding.ok("service", "magnetd runs, process " + process.getAsLong());
        }
        return buffers.stream().anyMatch(buffer -> buffer.name().equals(SERVICE_BUFFER))
                ? Finding.ok("service", "magnetd runs: its buffer is there")
                : Finding.warning("service", "magnetd does not run: nothing is published", "start magnetd");
    }
}
