// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.commons.configuration2.tree.ImmutableNode;

/** Collects the sections {@code [handler NAME]} of a file. For one thread. */
final class HandlerSections {
    private static final String WORD = "handler";
    private static final Pattern HEAD = Pattern.compile("handler(\\s.*)?");
    /** What the INI form takes for the begin of a comment. */
    private static final Pattern COMMENT = Pattern.compile("\\s[;#]");

    private final String file;
    private final IniLines lines;
    private final List<HandlerConfig> sections = new ArrayList<>();

    HandlerSections(String file, IniLines lines) {
        this.file = file;
        this.lines = lines;
    }

    /** Whether this is the head of one. */
    static boolean isOne(String section) {
        return HEAD.matcher(section).matches();
    }

    /** The head of a section that somebody probably meant. */
    static String nearest(String section, List<String> others) {
        List<String> known = new ArrayList<>(others);
        known.add(WORD);
        known.add(JobSection.NAME);
        known.addAll(OtherSections.WORDS);
        String nearest = NearestName.of(section, known);
        return nearest.equals(WORD) ? WORD + " NAME" : nearest;
    }

    /** What was collected. */
    List<HandlerConfig> sections() {
        return sections;
    }

    void add(ImmutableNode section) throws ConfigException {
        String head = section.getNodeName();
        List<Integer> heads = lines.ofSection(head);
        if (heads.size() > 1) {
            throw new ConfigException(IniLines.at(file, heads.subList(1, 2)) + "[" + head + "] is given twice");
        }
        Map<HandlerKey, Given> values = new EnumMap<>(HandlerKey.class);
        for (ImmutableNode node : section.getChildren()) {
            String key = node.getNodeName();
            List<Integer> at = lines.ofKey(head, key);
            HandlerKey known = HandlerKey.find(key)
                    .orElseThrow(() -> new ConfigException(IniLines.at(file, at) + "unknown key '" + key + "' in ["
                            + head + "]; " + NearestName.hint(key, HandlerKey.keys())));
            refuseComment(known, head, at);
            Given given = new Given(String.valueOf(node.getValue()).strip(), IniLines.at(file, at));
            if (values.put(known, given) != null) {
                throw new ConfigException(IniLines.at(file, at.subList(Math.min(1, at.size()), at.size())) + "key '"
                        + key + "' is given twice");
            }
        }
        String name = head.substring(WORD.length()).strip();
        if (sections.stream().anyMatch(other -> other.name().equals(name))) {
            throw new ConfigException(IniLines.at(file, heads) + "[" + WORD + " " + name + "] is given twice");
        }
        sections.add(new HandlerConfig(name, IniLines.at(file, heads), values));
    }

    /** Rules that a comment cuts off would count for less than they say, in silence. */
    private void refuseComment(HandlerKey key, String head, List<Integer> at) throws ConfigException {
        String raw = key.isRules() ? lines.valueOf(head, key.key()) : "";
        if (!raw.startsWith("\"") && COMMENT.matcher(raw).find()) {
            throw new ConfigException(IniLines.at(file, at) + "[" + head + "] " + key.key()
                    + ": ; or # after a space begins a comment; write RULE; RULE without a space before the ;");
        }
    }
}
