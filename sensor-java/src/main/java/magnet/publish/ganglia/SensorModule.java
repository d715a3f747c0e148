// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The module section by which gmond's own configuration switches magnet on or off and carries its settings:
 *
 * <pre>{@code
 * modules { module { name = "magnet" language = "Java" enabled = yes
 *   param publish.interval { value = "5s" } } }
 * }</pre>
 *
 * <p>gmond passes over modules whose language is not C/C++. Immutable.
 *
 * @param enabled the switch; on if it is not given, as gmond has it
 * @param params settings, in the order of the file; of one name the last one counts
 * @param file the file that it stands in
 * @param line its line there
 */
public record SensorModule(boolean enabled, List<Param> params, String file, int line) {
    private static final String NAME = "magnet";
    private static final String LANGUAGE = "Java";

    /**
     * A setting.
     *
     * @param name its name, in lower case
     * @param value its value
     * @param file the file that it stands in
     * @param line its line there
     */
    public record Param(String name, String value, String file, int line) {}

    public SensorModule {
        params = List.copyOf(params);
    }

    /** The module of gmond.conf, if it has one. */
    static Optional<SensorModule> of(GmondSection root) throws GmondConfigException {
        List<GmondSection> found = root.sections("modules").stream()
                .flatMap(modules -> modules.sections("module").stream())
                .filter(module -> text(module, "name").equals(NAME))
                .toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        GmondSection first = found.get(0);
        if (found.size() > 1) {
            GmondSection second = found.get(1);
            throw new GmondConfigException(
                    second.file(),
                    second.line(),
                    "a second module magnet; the first is in " + first.file() + ":" + first.line());
        }
        return Optional.of(of(first, first.option("enabled")));
    }

    private static SensorModule of(GmondSection module, Optional<GmondSection.Option> enabled)
            throws GmondConfigException {
        if (!text(module, "language").equalsIgnoreCase(LANGUAGE)) {
            throw new GmondConfigException(
                    module.file(),
                    module.line(),
                    "module magnet needs language = \"Java\", or gmond tries to load it itself");
        }
        if (module.option("params").isPresent()) {
            throw new GmondConfigException(
                    module.file(),
                    module.line(),
                    "module magnet takes no params = ..., but sections: param NAME { value = ... }");
        }
        return new SensorModule(
                enabled.isEmpty() || GmondConfig.flag(enabled, "enabled"),
                params(module),
                module.file(),
                module.line());
    }

    private static List<Param> params(GmondSection module) throws GmondConfigException {
        Map<String, Param> params = new LinkedHashMap<>();
        for (GmondSection section : module.sections("param")) {
            String name = section.title().orElse("").toLowerCase(Locale.ROOT);
            GmondSection.Option value = section.option("value")
                    .orElseThrow(() -> new GmondConfigException(
                            section.file(), section.line(), "param " + name + " has no value"));
            params.put(name, new Param(name, value.value(), value.file(), value.line()));
        }
        return List.copyOf(params.values());
    }

    private static String text(GmondSection section, String option) {
        return section.option(option).map(GmondSection.Option::value).orElse("");
    }
}
