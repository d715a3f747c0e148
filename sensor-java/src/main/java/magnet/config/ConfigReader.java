// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import magnet.os.RegularFile;
import org.apache.commons.configuration2.INIConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.commons.configuration2.tree.ImmutableNode;

/**
 * Reads {@code magnet.conf}.
 *
 * <p>An unknown section or key is refused with its line and the nearest name that is known, because a misspelt switch
 * that is taken in silence is found out too late. Values are taken as they stand: nothing in them is expanded, neither
 * variables of the environment nor scripts. Stateless.
 */
public final class ConfigReader {
    private static final int BYTES_MAX = 1 << 20;

    private ConfigReader() {}

    /**
     * Reads and validates a file.
     *
     * @throws ConfigException if it cannot be read or is not valid; says where and why
     */
    public static MagnetConfig read(Path file) throws ConfigException {
        return read(file, List.of(), OwnMetrics.UNKNOWN);
    }

    /**
     * Reads and validates a file, and what is given elsewhere.
     *
     * @param settings count instead of what the file says
     * @param own tells what conditions may ask for besides the catalogue
     * @throws ConfigException if the file cannot be read or anything is not valid; says where and why
     */
    public static MagnetConfig read(Path file, List<Setting> settings, OwnMetrics own) throws ConfigException {
        try {
            byte[] bytes = RegularFile.read(file, BYTES_MAX);
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return parse(file.toString(), text, settings, own);
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + ": no such file");
        } catch (AccessDeniedException e) {
            throw new ConfigException(file + ": permission denied");
        } catch (CharacterCodingException e) {
            throw new ConfigException(file + ": is not UTF-8");
        } catch (IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /** What counts without any file. */
    public static MagnetConfig defaults() {
        try {
            return defaults(List.of());
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What counts without any file but these settings.
     *
     * @throws ConfigException if one of them is not valid; says which and why
     */
    public static MagnetConfig defaults(List<Setting> settings) throws ConfigException {
        return parse("defaults", "", settings, OwnMetrics.UNKNOWN);
    }

    /**
     * Parses and validates a text.
     *
     * @param file name for messages
     * @param settings count instead of what the text says
     * @param own tells what conditions may ask for besides the catalogue
     */
    static MagnetConfig parse(String file, String text, List<Setting> settings, OwnMetrics own) throws ConfigException {
        IniLines lines = new IniLines(text);
        if (!lines.unclosed().isEmpty()) {
            throw new ConfigException(
                    IniLines.at(file, lines.unclosed()) + "a section's head ends with ], and this one has none");
        }
        INIConfiguration ini = new INIConfiguration();
        try {
            ini.read(new StringReader(text));
        } catch (ConfigurationException | IOException | RuntimeException e) {
            throw new ConfigException(file + ": " + e.getMessage());
        }
        Map<ConfigKey, Given> values = new EnumMap<>(ConfigKey.class);
        HandlerSections handlers = new HandlerSections(file, lines);
        for (ImmutableNode section :
                ini.getNodeModel().getInMemoryRepresentation().getChildren()) {
            if (HandlerSections.isOne(section.getNodeName()) && section.getValue() == null) {
                handlers.add(section);
            } else {
                readSection(file, lines, section, values);
            }
        }
        for (Setting setting : settings) {
            values.put(keyOf(setting), new Given(setting.value().strip(), setting.place() + ": "));
        }
        return new ConfigValues(file, values).config(handlers.sections(), own);
    }

    private static ConfigKey keyOf(Setting setting) throws ConfigException {
        for (ConfigKey key : ConfigKey.values()) {
            if (key.fullName().equals(setting.name())) {
                if (key == ConfigKey.GMOND_CONF) {
                    throw new ConfigException(
                            setting.place() + ": '" + setting.name() + "' can only be given in magnet.conf");
                }
                return key;
            }
        }
        List<String> known =
                Arrays.stream(ConfigKey.values()).map(ConfigKey::fullName).toList();
        throw new ConfigException(setting.place() + ": unknown param '" + setting.name() + "'; did you mean '"
                + NearestName.of(setting.name(), known) + "'?");
    }

    private static void readSection(String file, IniLines lines, ImmutableNode section, Map<ConfigKey, Given> values)
            throws ConfigException {
        String name = section.getNodeName();
        if (section.getValue() != null) {
            throw new ConfigException(
                    IniLines.at(file, lines.ofKey("", name)) + "key '" + name + "' stands before any section");
        }
        if (!ConfigKey.sections().contains(name)) {
            throw new ConfigException(IniLines.at(file, lines.ofSection(name)) + "unknown section [" + name
                    + "]; did you mean [" + HandlerSections.nearest(name) + "]?");
        }
        for (ImmutableNode node : section.getChildren()) {
            String key = node.getNodeName();
            List<Integer> at = lines.ofKey(name, key);
            ConfigKey known = ConfigKey.find(name, key)
                    .orElseThrow(() -> new ConfigException(IniLines.at(file, at) + "unknown key '" + key + "' in ["
                            + name + "]; did you mean '" + NearestName.of(key, ConfigKey.keysOf(name)) + "'?"));
            Given given = new Given(String.valueOf(node.getValue()).strip(), IniLines.at(file, at));
            if (values.put(known, given) != null) {
                throw new ConfigException(IniLines.at(file, at.subList(Math.min(1, at.size()), at.size())) + "key '"
                        + key + "' is given twice");
            }
        }
    }
}
