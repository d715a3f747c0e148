// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the records of a dynamic point look like, by its definition ({@code sensor-kmod/probes/fetch.c},
 * {@code docs/control.md}). Whether this kernel has the place, its registers and arguments, only the kernel can tell.
 * For one definition.
 */
final class DynamicFormat {
    private static final int DEFINITION_MAX = 511;
    private static final int FIELDS_MAX = 16;
    private static final int BYTES_MAX = 256;
    private static final int NAME_MAX = 31;
    private static final Pattern SPACE = Pattern.compile("[ \t\n]+");
    private static final Pattern PLACE = Pattern.compile("(?:[pft]|r\\d{0,4}):\\S+");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");
    private static final Pattern VALUE = Pattern.compile("[$%+-].+");
    private static final Pattern TEXT = Pattern.compile("char\\[(\\d{1,3})]");
    private static final int TEXT_STEP = 8;
    private static final int TEXT_MAX = 248;

    private final List<EventField> fields = new ArrayList<>();
    private int size;

    private DynamicFormat() {}

    /** Whether a text is the definition of a dynamic point, and not the name of one that is there. */
    static boolean isDefinition(String text) {
        return text.indexOf(':') >= 0;
    }

    /**
     * The format of a dynamic point.
     *
     * @param id the id of its events
     * @param name its name
     * @throws DefinitionException if no kernel would take the definition
     */
    static EventFormat parse(int id, String name, String definition) throws DefinitionException {
        if (definition.length() > DEFINITION_MAX) {
            throw new DefinitionException("a definition has at most 511 characters");
        }
        List<String> words = SPACE.splitAsStream(definition.strip()).toList();
        if (!PLACE.matcher(words.get(0)).matches()) {
            throw new DefinitionException("a definition is p:, r:, f: or t: and a place, and then fields, such as"
                    + " p:vfs_read len=$arg3:u32");
        }
        DynamicFormat format = new DynamicFormat();
        if (words.get(0).startsWith("r")) {
            format.add("latency", "u64");
        }
        int number = 0;
        for (String word : words.subList(1, words.size())) {
            format.add(word, ++number);
        }
        return new EventFormat(id, name, format.size, format.fields, EventFormat.Tail.NONE);
    }

    /** {@code [name=]VALUE[:type]}. */
    private void add(String text, int number) throws DefinitionException {
        if (number > FIELDS_MAX) {
            throw new DefinitionException("no more than 16 fields; leave some out");
        }
        int equals = text.indexOf('=');
        String rest = text.substring(equals + 1);
        int colon = rest.indexOf(':');
        String value = colon < 0 ? rest : rest.substring(0, colon);
        String type = colon < 0 ? "u64" : rest.substring(colon + 1);
        if (!VALUE.matcher(value).matches()) {
            throw new DefinitionException(
                    "a field is [name=]$argN, $retval, %register or +offset(...), and then :type; not " + text);
        }
        String name = equals < 0 ? defaultName(value, number) : text.substring(0, equals);
        if (!isName(name)) {
            throw new DefinitionException("a field's name is letters, digits and _, no digit first, up to 31");
        }
        add(name, type.equals("string") ? "char[64]" : type);
    }

    /** Each field is at a multiple of its size, or of 8. */
    private void add(String name, String type) throws DefinitionException {
        EventField field = EventField.of(name, type, 0);
        if (field == null || !isType(type)) {
            throw new DefinitionException(
                    "a type is u8 to u64, s8 to s64, x8 to x64, string, or char[8] to char[248] in steps of 8");
        }
        if (fields.stream().anyMatch(other -> other.name().equals(name))) {
            throw new DefinitionException("two fields have the same name; give one another, NAME=...");
        }
        int step = Math.min(field.size(), Long.BYTES);
        int offset = (size + step - 1) / step * step;
        if (offset + field.size() > BYTES_MAX) {
            throw new DefinitionException(
                    "the fields take more than 256 bytes together; leave some out, or take shorter types");
        }
        fields.add(new EventField(name, type, offset));
        size = offset + field.size();
    }

    private static boolean isType(String type) {
        Matcher text = TEXT.matcher(type);
        if (!text.matches()) {
            return !type.toLowerCase(Locale.ROOT).startsWith("c");
        }
        int bytes = Integer.parseInt(text.group(1));
        return bytes > 0 && bytes <= TEXT_MAX && bytes % TEXT_STEP == 0;
    }

    private static boolean isName(String name) {
        return name.length() <= NAME_MAX && NAME.matcher(name).matches();
    }

    private static String defaultName(String value, int number) {
        boolean named = (value.startsWith("$") || value.startsWith("%")) && isName(value.substring(1));
        return named ? value.substring(1) : "field" + number;
    }
}
