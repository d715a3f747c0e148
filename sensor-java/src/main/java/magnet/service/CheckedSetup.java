// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.file.Files;
import java.util.List;
import magnet.config.HandlerChoice;
import magnet.handler.HandlerCatalog;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.SendChannel;

/** What {@code magnetd --check-config} says of a configuration that could be read. Stateless. */
final class CheckedSetup {
    private CheckedSetup() {}

    /**
     * What is wrong with own handlers and filters on any kernel, a line each. Their jars are loaded for it, since a filter
     * tells its name itself.
     */
    static List<String> complaints(HandlerChoice choice) {
        if (choice.equals(HandlerChoice.NONE)) {
            return List.of();
        }
        try (HandlerCatalog catalog = new HandlerCatalog()) {
            return List.copyOf(catalog.look(choice).failed().values());
        }
    }

    /** That the files are good, and where it would be sent to; lines. */
    static String text(SetupFiles files, Setup setup) {
        GmondConfig gmond = setup.gmond();
        StringBuilder text = new StringBuilder();
        text.append(files.magnetConf())
                .append(Files.exists(files.magnetConf()) ? ": good" : ": missing, so that what is built in counts");
        text.append(SinkKind.description(setup.magnet()));
        text.append('\n')
                .append(setup.magnet().gmondConf())
                .append(gmond.fallback() ? ": missing, as gmetric then sends to\n" : ": good, sends to\n");
        for (SendChannel channel : gmond.channels()) {
            text.append("    ").append(channel).append('\n');
        }
        gmond.complaints().forEach(line -> text.append(line).append('\n'));
        gmond.module()
                .ifPresent(module -> text.append(module.file())
                        .append(": module magnet is ")
                        .append(module.enabled() ? "enabled" : "not enabled: nothing is published")
                        .append('\n'));
        return text.toString();
    }
}
