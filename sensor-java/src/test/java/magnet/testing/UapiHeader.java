// SPDX-License-Identifier: Apache-2.0
package magnet.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel module's header, read as a C compiler would: constants, enums and the layout of structs. Knows as
 * much C as that file uses and fails on anything else.
 */
public final class UapiHeader {
    private static final Pattern DEFINE = Pattern.compile("^#define[ \\t]+(\\w+)[ \\t]+(\\S.*)$", Pattern.MULTILINE);
    private static final Pattern ENUM = Pattern.compile("\\benum\\s+(\\w+)\\s*\\{([^}]*)}");
    private static final Pattern STRUCT = Pattern.compile("\\bstruct\\s+(\\w+)\\s*\\{([^}]*)}");
    private static final Pattern MEMBER = Pattern.compile("__u(16|32|64)\\s+(\\w+)(?:\\[(\\d+)])?");
    private static final Pattern TEXT = Pattern.compile("char\\s+(\\w+)\\[(\\w+)]");

    private final Map<String, String> defines = new LinkedHashMap<>();
    private final Map<String, Long> constants = new LinkedHashMap<>();
    private final Map<String, Map<String, Long>> enums = new LinkedHashMap<>();
    private final Map<String, Struct> structs = new LinkedHashMap<>();

    private UapiHeader(String text) {
        String code = text.replace("\\\n", " ").replaceAll("(?s)/\\*.*?\\*/", " ");
        Matcher define = DEFINE.matcher(code);
        while (define.find()) {
            defines.put(define.group(1), define.group(2).strip());
        }
        Matcher enumMatcher = ENUM.matcher(code);
        while (enumMatcher.find()) {
            enums.put(enumMatcher.group(1), parseEnum(enumMatcher.group(2)));
        }
        Matcher struct = STRUCT.matcher(code);
        while (struct.find()) {
            structs.put(struct.group(1), Struct.parse(struct.group(2), this::value));
        }
    }

    /** The header of this source tree. */
    public static UapiHeader read() {
        Path path = Path.of(System.getProperty("magnet.uapi.header", "../sensor-kmod/include/uapi/magnet.h"));
        try {
            return new UapiHeader(Files.readString(path));
        } catch (IOException e) {
            throw new IllegalStateException("the kernel module's header cannot be read: " + e, e);
        }
    }

    /** A header given as text. */
    public static UapiHeader of(String text) {
        return new UapiHeader(text);
    }

    /** Value of a constant, a define's or an enum's. */
    public long value(String name) {
        Long constant = constants.get(name);
        if (constant != null) {
            return constant;
        }
        String define = defines.get(name);
        if (define == null) {
            throw new IllegalArgumentException("the header has no constant " + name);
        }
        return new Expression(define).value();
    }

    /** Text of a string define. */
    public String string(String name) {
        String define = defines.get(name);
        if (define == null || !define.startsWith("\"")) {
            throw new IllegalArgumentException("the header has no string " + name);
        }
        return define.substring(1, define.length() - 1);
    }

    /** Constants of an enum in their order, without those that begin with two underscores and the MAX. */
    public Map<String, Long> enumeration(String name) {
        Map<String, Long> all = enums.get(name);
        if (all == null) {
            throw new IllegalArgumentException("the header has no enum " + name);
        }
        Map<String, Long> named = new LinkedHashMap<>(all);
        named.keySet().removeIf(constant -> constant.startsWith("__") || constant.endsWith("_MAX"));
        return named;
    }

    /** Names of all structs. */
    public List<String> structs() {
        return List.copyOf(structs.keySet());
    }

    /** Layout of a struct. */
    public Struct struct(String name) {
        Struct struct = structs.get(name);
        if (struct == null) {
            throw new IllegalArgumentException("the header has no struct " + name);
        }
        return struct;
    }

    private Map<String, Long> parseEnum(String body) {
        Map<String, Long> values = new LinkedHashMap<>();
        long next = 0;
        for (String item : body.split(",", -1)) {
            if (item.isBlank()) {
                continue;
            }
            String[] sides = item.split("=", 2);
            String name = sides[0].strip();
            long value = sides.length == 2 ? new Expression(sides[1]).value() : next;
            values.put(name, value);
            constants.put(name, value);
            next = value + 1;
        }
        return values;
    }

    /** A member of a struct; {@code count} is 0 for what is no array, and for a text. */
    public record Member(String name, int offset, int size, int count) {}

    /** A struct as the x86-64 and arm64 ABIs lay it out. */
    public record Struct(int size, List<Member> members) {
        static Struct parse(String body, ToLongFunction<String> constants) {
            List<Member> members = new ArrayList<>();
            int offset = 0;
            int alignment = 1;
            for (String line : body.split(";", -1)) {
                if (line.isBlank()) {
                    continue;
                }
                Matcher text = TEXT.matcher(line.strip());
                if (text.matches()) {
                    int bytes = (int) constants.applyAsLong(text.group(2));
                    members.add(new Member(text.group(1), offset, bytes, 0));
                    offset += bytes;
                    continue;
                }
                Matcher member = MEMBER.matcher(line.strip());
                if (!member.matches()) {
                    throw new IllegalArgumentException("not a member that this parser knows: " + line);
                }
                int size = Integer.parseInt(member.group(1)) / 8;
                int count = member.group(3) == null ? 0 : Integer.parseInt(member.group(3));
                offset = (offset + size - 1) / size * size;
                members.add(new Member(member.group(2), offset, size, count));
                offset += size * Math.max(1, count);
                alignment = Math.max(alignment, size);
            }
            return new Struct((offset + alignment - 1) / alignment * alignment, List.copyOf(members));
        }

        /** Offset of a member. */
        public int offset(String name) {
            return members.stream()
                    .filter(member -> member.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no member " + name))
                    .offset();
        }
    }

    /** Recursive descent over what constants are made of: shift, plus, minus, times, parentheses, names. */
    private final class Expression {
        private static final Pattern TOKEN = Pattern.compile("\\s*(<<|0[xX][0-9a-fA-F]+|\\d+|\\w+|[-+*()])([uUlL]*)");

        private final List<String> tokens = new ArrayList<>();
        private int at;

        Expression(String text) {
            Matcher matcher = TOKEN.matcher(text.strip());
            int end = 0;
            while (matcher.lookingAt()) {
                tokens.add(matcher.group(1));
                end = matcher.end();
                matcher.region(end, matcher.regionEnd());
            }
            if (end != text.strip().length()) {
                throw new IllegalArgumentException("not an expression that this parser knows: " + text);
            }
        }

        long value() {
            long value = shift();
            if (at != tokens.size()) {
                throw new IllegalArgumentException("left over in an expression: " + tokens);
            }
            return value;
        }

        private boolean take(String token) {
            if (at < tokens.size() && tokens.get(at).equals(token)) {
                at++;
                return true;
            }
            return false;
        }

        private long shift() {
            long value = sum();
            while (take("<<")) {
                value <<= sum();
            }
            return value;
        }

        private long sum() {
            long value = product();
            while (true) {
                if (take("+")) {
                    value += product();
                } else if (take("-")) {
                    value -= product();
                } else {
                    return value;
                }
            }
        }

        private long product() {
            long value = atom();
            while (take("*")) {
                value *= atom();
            }
            return value;
        }

        private long atom() {
            if (take("(")) {
                long value = shift();
                if (!take(")")) {
                    throw new IllegalArgumentException("unbalanced expression: " + tokens);
                }
                return value;
            }
            String token = tokens.get(at++);
            return Character.isDigit(token.charAt(0)) ? Long.decode(token) : UapiHeader.this.value(token);
        }
    }
}
