// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import magnet.agent.AgentHealth;
import magnet.config.MagnetConfig;
import magnet.config.MuseConfig;
import magnet.config.SupermonConfig;
import magnet.os.MonotonicClock;
import magnet.publish.Sink;
import magnet.publish.muse.MuseSettings;
import magnet.publish.muse.MuseSink;
import magnet.publish.muse.StructLayout;
import magnet.publish.openmetrics.OpenMetricsSink;
import magnet.publish.supermon.ReplyFormat;
import magnet.publish.supermon.SupermonSettings;
import magnet.publish.supermon.SupermonSink;

/**
 * All sinks there are beside Ganglia: a new one is its package, its test, and an entry here, with what of the configuration
 * switches it on, what {@code --check-config} says of it, and how it is made.
 */
// The checker does not see that what declares a sink keeps nothing.
@SuppressWarnings("ImmutableEnumChecker")
enum SinkKind {
    OPENMETRICS(
            MagnetConfig::openMetrics,
            address -> ", shows what it publishes at " + OpenMetricsSink.url(address),
            (address, context) -> new OpenMetricsSink(address, context.publishSeconds())),
    SUPERMON(
            MagnetConfig::supermon,
            supermon -> ", answers Supermon's clients: " + SupermonSink.describe(supermon.address()),
            (supermon, context) ->
                    new SupermonSink(settings(supermon), supermon.hole(), context.publishSeconds(), context.health())),
    MUSE(
            MagnetConfig::muse,
            muse -> ", answers MUSE's clients: " + MuseSink.describe(settings(muse)),
            (muse, context) -> new MuseSink(
                    settings(muse),
                    handler -> context.kernel().tap(context.config(), handler),
                    new RecordClock(context.kernel().facts(), context.monotonic()),
                    context.cpus(),
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
    private record Declared<C>(
            Function<MagnetConfig, Optional<C>> section, Function<C, String> description, Factory<C> factory) {
        Optional<Sink> make(Context context) {
            return section.apply(context.config()).map(config -> factory.make(config, context));
        }

        Optional<String> describe(MagnetConfig config) {
            return section.apply(config).map(description);
        }
    }

    private final Declared<?> declared;

    <C> SinkKind(Function<MagnetConfig, Optional<C>> section, Function<C, String> description, Factory<C> factory) {
        this.declared = new Declared<>(section, description, factory);
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
            kind.declared.describe(config).ifPresent(text::append);
        }
        return text.toString();
    }

    private static MuseSettings settings(MuseConfig config) {
        StructLayout layout = switch (config.layout()) {
            case I386 -> StructLayout.I386;
            case X86_64 -> StructLayout.X86_64;
        };
        return new MuseSettings(config.socket(), config.address(), config.clients(), layout);
    }

    private static SupermonSettings settings(SupermonConfig config) {
        ReplyFormat format = switch (config.shape()) {
            case LANL -> ReplyFormat.LANL;
            case LINUXLABS -> ReplyFormat.LINUXLABS;
        };
        return new SupermonSettings(config.address(), config::allows, config.clients(), format);
    }
}
