// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.SinkSection;
import magnet.metric.MetricGroup;

/** {@code jobs-socket} of {@code [publish]}: where figures of jobs are asked for, if they are published at all. */
public final class JobsSection implements SinkSection<Path> {
    /** Where it is if nobody says otherwise. */
    public static final Path USUAL = Path.of("/run/magnet/jobs");

    private static final ConfigKey SOCKET =
            new ConfigKey("publish", "jobs-socket", USUAL.toString(), "an absolute path, or nothing");

    @Override
    public List<ConfigKey> keys() {
        return List.of(SOCKET);
    }

    @Override
    public Optional<Path> read(ConfigTexts texts) throws ConfigException {
        Optional<Path> socket = texts.path(SOCKET);
        return texts.isOn(MetricGroup.JOBS) ? socket : Optional.empty();
    }

    /** The socket beside one, at which all jobs are told. */
    public static Path all(Path socket) {
        return socket.resolveSibling(socket.getFileName() + "-all");
    }

    @Override
    public Class<Path> type() {
        return Path.class;
    }

    @Override
    public String describe(Path socket) {
        return "tells figures of jobs at " + socket;
    }
}
