// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigReader;
import magnet.config.HandlerChoice;
import magnet.config.HandlerConfig;
import magnet.config.MagnetConfig;
import magnet.config.Setting;
import magnet.config.SinkChoice;
import magnet.handler.Declarations;
import magnet.handler.HandlerCatalog;
import magnet.handler.HandlerException;
import magnet.handler.HandlerJars;
import magnet.job.JobNames;
import magnet.metric.Metric;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.publish.ganglia.GmondConfigFile;
import magnet.publish.ganglia.SensorModule;
import magnet.publish.jobs.JobsSection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a run is set up by: magnet.conf, which names gmond.conf, whose module magnet may say otherwise than
 * magnet.conf in everything but that and own handlers; and the jars of own handlers. For one thread.
 */
public final class SetupFiles {
    /** What own handlers and sinks have in magnet.conf. */
    static final ConfigReader.Extensions EXTENSIONS =
            new ConfigReader.Extensions(SetupFiles::metrics, SinkKind.sections());

    private static final Logger LOGGER = LoggerFactory.getLogger(SetupFiles.class);

    private final Path magnetConf;
    private final boolean needed;
    private @Nullable GmondConfigFile gmond;
    private String magnetState = "";
    private Optional<Path> handlers = Optional.empty();
    private String handlersState = "";

    /**
     * @param given the configuration that was asked for, which then has to be there
     * @param otherwise the one that counts if it is there
     */
    public SetupFiles(Optional<Path> given, Path otherwise) {
        this.magnetConf = given.orElse(otherwise);
        this.needed = given.isPresent();
    }

    /** The file that stands at the beginning. */
    public Path magnetConf() {
        return magnetConf;
    }

    /**
     * Reads all of them.
     *
     * @throws ConfigException if magnet.conf or a param of gmond.conf's module magnet cannot be used, or what they name
     *     cannot be written
     * @throws GmondConfigException if gmond.conf cannot be used
     */
    public Setup read() throws ConfigException, GmondConfigException {
        magnetState = GmondConfigFile.stateOf(magnetConf);
        MagnetConfig magnet = magnet(List.of());
        GmondConfig read = gmondFile(magnet.gmondConf()).read();
        List<Setting> settings = read.module().stream()
                .flatMap(module -> module.params().stream())
                .map(SetupFiles::setting)
                .toList();
        Setup setup = new Setup(settings.isEmpty() ? magnet : magnet(settings), read);
        Affinity.check(setup.magnet());
        WrittenFiles.check(setup.magnet());
        handlers = setup.magnet().handlers().directory();
        handlersState = handlersNow();
        check(setup.magnet().handlers());
        return setup;
    }

    /** How the files stood when they were read. */
    List<String> stateThen() {
        List<String> state = new ArrayList<>(gmond == null ? List.of() : gmond.stateThen());
        state.add(magnetState);
        state.add(handlersState);
        return state;
    }

    /** How they stand now: another list if any has changed. */
    List<String> stateNow() {
        List<String> state = new ArrayList<>(gmond == null ? List.of() : gmond.stateNow());
        state.add(GmondConfigFile.stateOf(magnetConf));
        state.add(handlersNow());
        return state;
    }

    private String handlersNow() {
        return handlers.map(HandlerJars::stateOf).orElse("");
    }

    /**
     * The own handlers of a configuration.
     *
     * @param config a magnet.conf
     * @throws ConfigException if it cannot be used, or has no handlers; says where and why
     */
    public static HandlerChoice handlers(Path config) throws ConfigException {
        HandlerChoice choice = ConfigReader.read(config, List.of(), EXTENSIONS).handlers();
        if (!HandlerCatalog.isWanted(choice)) {
            throw new ConfigException(config + ": there is no [handler NAME] and no handler-directory in it");
        }
        check(choice);
        return choice;
    }

    /**
     * Which cgroups are jobs, by a configuration; by the built-in list if there is none.
     *
     * @param config a magnet.conf
     * @throws ConfigException if it cannot be used; says where and why
     */
    public static JobNames jobs(Path config) throws ConfigException {
        return Files.exists(config)
                ? ConfigReader.read(config, List.of(), EXTENSIONS).jobs()
                : JobNames.DEFAULTS;
    }

    /**
     * Where magnetd tells figures of jobs, by a configuration; where it usually does if that says nothing of it.
     *
     * @param config a magnet.conf
     * @throws ConfigException if it cannot be used; says where and why
     */
    public static Path jobsSocket(Path config) throws ConfigException {
        if (!Files.exists(config)) {
            return JobsSection.USUAL;
        }
        SinkChoice sinks = ConfigReader.read(config, List.of(), EXTENSIONS).sinks();
        return sinks.bySection().keySet().stream()
                .filter(JobsSection.class::isInstance)
                .findFirst()
                .flatMap(section -> sinks.of((JobsSection) section))
                .orElse(JobsSection.USUAL);
    }

    /** What declared handlers publish; refuses what can be wrong with them on any kernel. */
    static List<Metric> metrics(List<HandlerConfig> sections) throws ConfigException {
        try {
            return Declarations.metrics(sections);
        } catch (HandlerException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        }
    }

    /** Refuses a folder of jars that cannot be looked into. */
    static void check(HandlerChoice choice) throws ConfigException {
        try {
            if (choice.directory().isPresent()) {
                HandlerJars.check(choice.directory().get());
            }
        } catch (HandlerException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        }
    }

    private GmondConfigFile gmondFile(Path path) {
        GmondConfigFile file = gmond;
        if (file == null || !file.path().equals(path)) {
            file = new GmondConfigFile(path);
            gmond = file;
        }
        return file;
    }

    private MagnetConfig magnet(List<Setting> settings) throws ConfigException {
        if (needed || Files.exists(magnetConf)) {
            return ConfigReader.read(magnetConf, settings, EXTENSIONS);
        }
        LOGGER.debug("no {}: what is built in counts", magnetConf);
        return ConfigReader.defaults(settings, EXTENSIONS);
    }

    private static Setting setting(SensorModule.Param param) {
        return new Setting(param.name(), param.value(), param.file() + ":" + param.line());
    }
}
