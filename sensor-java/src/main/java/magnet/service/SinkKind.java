// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import magnet.agent.AgentHealth;
import magnet.config.MagnetConfig;
import magnet.config.SinkSection;
import magnet.machine.UsersJobs;
import magnet.os.MonotonicClock;
import magnet.publish.Sink;
import magnet.publish.jobs.JobsSection;
import magnet.publish.jobs.JobsSink;
import magnet.publish.muse.MuseSection;
import magnet.publish.muse.MuseSink;
import magnet.publish.openmetrics.OpenMetricsSection;
import magnet.publish.openmetrics.OpenMetricsSink;
import magnet.publish.supermon.SupermonSection;
import magnet.publish.supermon.SupermonSink;

/**
 * All sinks there are beside Ganglia, in the order of magnet.conf: a new one is its package, its test, and an entry here, with
 * what it declares in magnet.conf and how it is made.
 */
// The checker does not see that what declares a sink keeps nothing.
@SuppressWarnings("ImmutableEnumChecker")
public enum SinkKind {
    OPENMETRICS(new OpenMetricsSection(), (address, context) -> new OpenMetricsSink(address, context.publishSeconds())),
    SUPERMON(
            new SupermonSection(),
            (server, context) ->
                    new SupermonSink(server.settings(), server.hole(), context.publishSeconds(), context.health())),
    MUSE(
            new MuseSection(),
            (settings, context) -> new MuseSink(
                    settings,
                    handler -> context.kernel().tap(context.config(), handler),
                    new RecordClock(
                            context.kernel().facts().clockModel(),
                            context.kernel().facts().ticksPerMilli(),
                            context.monotonic()),
                    context.cpus(),
                    context.publishSeconds(),
                    context.health())),
    JOBS(
            new JobsSection(),
            (socket, context) -> new JobsSink(
                    socket,
                    new UsersJobs(context.config().jobs(), Path.of("/"), System::nanoTime)::of,
                    context.publishSeconds(),
                    context.health()));

    /**
     * What sinks are made of.
     *
     * @param config what magnet.conf says
     * @param kernel the module
     * @param monotonic CLOCK_MONOTONIC
     * @param cpus CPUs of the machine
     * @param health hears of the sinks' own threads
     */
    record Context(MagnetConfig config, SensorKernel kernel, MonotonicClock monotonic, int cpus, AgentHealth health) {
        private double publishSeconds() {
            return config.publishInterval().toMillis() / 1e3;
        }
    }

    /** Makes a sink of what the configuration says of it. */
    @FunctionalInterface
    private interface Factory<C> {
        Sink make(C config, Context context);
    }

    /** A sink whose configuration is a C. */
    private record Declared<C>(SinkSection<C> section, Factory<C> factory) {
        Optional<Sink> make(Context context) {
            return context.config().sinks().of(section).map(config -> factory.make(config, context));
        }

        Optional<String> describe(MagnetConfig config) {
            return config.sinks().of(section).map(section::describe);
        }
    }

    private final Declared<?> declared;

    <C> SinkKind(SinkSection<C> section, Factory<C> factory) {
        this.declared = new Declared<>(section, factory);
    }

    /** What they declare in magnet.conf. */
    public static List<SinkSection<?>> sections() {
        return Arrays.stream(values())
                .<SinkSection<?>>map(kind -> kind.declared.section)
                .toList();
    }

    /** Those that the configuration wants, not started yet. */
    static List<Sink> chosen(Context context) {
        return Arrays.stream(values())
                .flatMap(kind -> kind.declared.make(context).stream())
                .toList();
    }

    /** What the configuration wants of them, for the end of a line. */
    static String description(MagnetConfig config) {
        StringBuilder text = new StringBuilder();
        for (SinkKind kind : values()) {
            kind.declared.describe(config).ifPresent(says -> text.append(", ").append(says));
        }
        return text.toString();
    }
}
