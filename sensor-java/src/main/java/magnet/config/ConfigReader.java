// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.job.JobNames;
import org.apache.commons.configuration2.tree.ImmutableNode;

/**
 * Reads {@code magnet.conf}.
 *
 * <p>An unknown section or key is refused with its line and the nearest name that is known, because a misspelt switch
 * that is taken in silence is found out too late. Values are taken as they stand: nothing in them is expanded, neither
 * variables of the environment nor scripts. Stateless.
 */
public final class ConfigReader {
    private ConfigReader() {}

    /**
     * What there may be in a file beside what magnetd itself has.
     *
     * @param own tells what conditions may ask for besides the catalogue
     * @param sinks those that there are beside Ganglia
     */
    public record Extensions(OwnMetrics own, List<? extends SinkSection<?>> sinks) {
        /** There is nothing. */
        public static final Extensions NONE = new Extensions(OwnMetrics.UNKNOWN, List.of());
    }

    /**
     * Reads and validates a file, and what is given elsewhere.
     *
     * @param settings count instead of what the file says
     * @throws ConfigException if the file cannot be read or anything is not valid; says where and why
     */
    public static MagnetConfig read(Path file, List<Setting> settings, Extensions extensions) throws ConfigException {
        return parse(IniFile.read(file), settings, extensions);
    }

    /**
     * What counts without any file but these settings.
     *
     * @throws ConfigException if one of them is not valid; says which and why
     */
    public static MagnetConfig defaults(List<Setting> settings, Extensions extensions) throws ConfigException {
        return parse("defaults", "", settings, extensions);
    }

    /**
     * Parses and validates a text.
     *
     * @param file name for messages
     * @param settings count instead of what the text says
     */
    static MagnetConfig parse(String file, String text, List<Setting> settings, Extensions extensions)
            throws ConfigException {
        return parse(IniFile.parse(file, text), settings, extensions);
    }

    private static MagnetConfig parse(IniFile ini, List<Setting> settings, Extensions extensions)
            throws ConfigException {
        String file = ini.file();
        IniLines lines = ini.lines();
        ConfigKeys keys = new ConfigKeys(extensions.sinks);
        Map<ConfigKey, Given> values = new HashMap<>();
        HandlerSections handlers = new HandlerSections(file, lines);
        JobNames jobs = JobNames.DEFAULTS;
        for (ImmutableNode section : ini.sections()) {
            if (HandlerSections.isOne(section.getNodeName()) && section.getValue() == null) {
                handlers.add(section);
            } else if (section.getNodeName().equals(JobSection.NAME) && section.getValue() == null) {
                jobs = JobSection.read(file, lines, section);
            } else if (!OtherSections.isOne(section.getNodeName()) || section.getValue() != null) {
                readSection(file, lines, section, keys, values);
            }
        }
        for (Setting setting : settings) {
            values.put(keyOf(setting, keys), new Given(setting.value().strip(), setting.place() + ": "));
        }
        return new ConfigValues(new ConfigTexts(file, values))
                .config(handlers.sections(), jobs, extensions.own, extensions.sinks);
    }

    private static ConfigKey keyOf(Setting setting, ConfigKeys keys) throws ConfigException {
        for (ConfigKey key : keys.all()) {
            if (key.fullName().equals(setting.name())) {
                if (key.equals(ServiceKeys.GMOND_CONF)) {
                    throw new ConfigException(
                            setting.place() + ": '" + setting.name() + "' can only be given in magnet.conf");
                }
                return key;
            }
        }
        List<String> known = keys.all().stream().map(ConfigKey::fullName).toList();
        throw new ConfigException(setting.place() + ": unknown param '" + setting.name() + "'; "
                + NearestName.hint(setting.name(), known));
    }

    private static void readSection(
            String file, IniLines lines, ImmutableNode section, ConfigKeys keys, Map<ConfigKey, Given> values)
            throws ConfigException {
        String name = section.getNodeName();
        if (section.getValue() != null) {
            throw new ConfigException(
                    IniLines.at(file, lines.ofKey("", name)) + "key '" + name + "' stands before any section");
        }
        if (!keys.sections().contains(name)) {
            throw new ConfigException(IniLines.at(file, lines.ofSection(name)) + "unknown section [" + name
                    + "]; did you mean [" + HandlerSections.nearest(name, keys.sections()) + "]?");
        }
        for (ImmutableNode node : section.getChildren()) {
            String key = node.getNodeName();
            List<Integer> at = lines.ofKey(name, key);
            ConfigKey known = keys.find(name, key)
                    .orElseThrow(() -> new ConfigException(IniLines.at(file, at) + "unknown key '" + key + "' in ["
                            + name + "]; " + NearestName.hint(key, keys.keysOf(name))));
            Given given = new Given(String.valueOf(node.getValue()).strip(), IniLines.at(file, at));
            if (values.put(known, given) != null) {
                throw new ConfigException(IniLines.at(file, at.subList(Math.min(1, at.size()), at.size())) + "key '"
                        + key + "' is given twice");
            }
        }
    }
}
