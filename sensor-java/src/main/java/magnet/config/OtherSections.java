// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.configuration2.tree.ImmutableNode;

/**
 * The sections of {@code magnet.conf} that other programs of magnet read: {@code [cluster]}, and {@code [recording NAME]} as
 * often as there are names. magnetd passes them over; whose they are declares their keys and looks at them in the same way.
 * Immutable.
 */
public final class OtherSections {
    /** What their heads begin with. */
    static final List<String> WORDS = List.of("cluster", "recording");

    private static final String RECORDING = "recording ";

    private final IniFile ini;

    private OtherSections(IniFile ini) {
        this.ini = ini;
    }

    /** Whether this is the head of one. */
    static boolean isOne(String head) {
        return head.equals(WORDS.get(0)) || head.startsWith(RECORDING);
    }

    /**
     * Those of a file; none if there is no such file.
     *
     * @throws ConfigException if it cannot be read, or one of them is given twice
     */
    public static OtherSections read(Path file) throws ConfigException {
        return of(Files.exists(file) ? IniFile.read(file) : IniFile.parse(file.toString(), ""));
    }

    /** Those of a text. */
    static OtherSections parse(String file, String text) throws ConfigException {
        return of(IniFile.parse(file, text));
    }

    private static OtherSections of(IniFile ini) throws ConfigException {
        for (ImmutableNode section : ini.sections()) {
            List<Integer> heads = ini.lines().ofSection(section.getNodeName());
            if (isOne(section.getNodeName()) && heads.size() > 1) {
                throw new ConfigException(IniLines.at(ini.file(), heads.subList(1, 2)) + "[" + section.getNodeName()
                        + "] is given twice");
            }
        }
        return new OtherSections(ini);
    }

    /** The names of sections {@code [recording NAME]}, in the order of the file. */
    public List<String> recordings() {
        List<String> names = new ArrayList<>();
        for (ImmutableNode section : ini.sections()) {
            if (section.getNodeName().startsWith(RECORDING)) {
                names.add(section.getNodeName().substring(RECORDING.length()).strip());
            }
        }
        return names;
    }

    /** Whether there is a section of such a head. */
    public boolean has(String head) {
        return section(head).isPresent();
    }

    /**
     * What a section says.
     *
     * @param head of the section; where there is none, all keys have their defaults
     * @param keys those that it may have
     * @throws ConfigException if it has another one, or one of them twice
     */
    public ConfigTexts texts(String head, List<ConfigKey> keys) throws ConfigException {
        Map<ConfigKey, Given> values = new HashMap<>();
        Optional<ImmutableNode> section = section(head);
        if (section.isPresent()) {
            for (ImmutableNode node : section.get().getChildren()) {
                read(head, node, keys, values);
            }
        }
        return new ConfigTexts(ini.file(), values);
    }

    private void read(String head, ImmutableNode node, List<ConfigKey> keys, Map<ConfigKey, Given> values)
            throws ConfigException {
        String name = node.getNodeName();
        List<Integer> at = ini.lines().ofKey(head, name);
        ConfigKey known = keys.stream()
                .filter(each -> each.is(head, name))
                .findFirst()
                .orElseThrow(() -> new ConfigException(
                        IniLines.at(ini.file(), at) + "unknown key '" + name + "' in [" + head + "]; "
                                + NearestName.hint(
                                        name, keys.stream().map(ConfigKey::key).toList())));
        Given given = new Given(String.valueOf(node.getValue()).strip(), IniLines.at(ini.file(), at));
        if (values.put(known, given) != null) {
            throw new ConfigException(IniLines.at(ini.file(), at.subList(Math.min(1, at.size()), at.size())) + "key '"
                    + name + "' is given twice");
        }
    }

    private Optional<ImmutableNode> section(String head) {
        return ini.sections().stream()
                .filter(each -> each.getNodeName().equals(head) && each.getValue() == null)
                .findFirst();
    }
}
