// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;

/**
 * Makes a rule of its text, for one event, with the kernel's grammar, limits and words of refusal
 * ({@code sensor-kmod/kernevesub/rule.c}, {@code docs/control.md}). For one rule.
 */
final class RuleParser {
    /** A rule asks for a field that this event does not have. */
    static final class NoFieldException extends RuleException {
        private static final long serialVersionUID = 1;

        private final String field;

        NoFieldException(String field) {
            super("no event of the trace has a field '" + field
                    + "'; its metadata lists them, and every event has cpu, tgid, tid and id");
            this.field = field;
        }

        String field() {
            return field;
        }
    }

    private static final int TEXT_MAX = 511;
    private static final int CONDITIONS_MAX = 16;
    private static final int RANGES_MAX = 32;
    private static final long MICROS_MAX = 3_600_000_000L;
    private static final int ADDRESS_BITS = 128;
    private static final int MAPPED_BITS = 96;
    private static final Pattern SPACE = Pattern.compile("[ \t\n]+");
    private static final Pattern IPV4 = Pattern.compile("(?:\\d{1,3}\\.){3}\\d{1,3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final Pattern PREFIX = Pattern.compile("\\d{1,3}");
    private static final Map<String, Long> PROTOCOLS =
            Map.of("icmp", 1L, "tcp", 6L, "udp", 17L, "icmpv6", 58L, "sctp", 132L);

    private static final List<String> OPERATORS = List.of("==", "!=", "<", "<=", ">", ">=", "&", "in");

    /** Takes the tests of a rule. */
    @FunctionalInterface
    private interface Tests {
        /** One of them; its value is not empty. */
        void add(String name, String operator, String value) throws RuleException;
    }

    private final long ticksPerMilli;
    private final Deque<String> words = new ArrayDeque<>();
    private int ranges;

    private RuleParser(long ticksPerMilli, String text) throws RuleException {
        if (text.length() > TEXT_MAX) {
            throw new RuleException("a rule has at most 511 characters");
        }
        this.ticksPerMilli = ticksPerMilli;
        words.addAll(SPACE.splitAsStream(text).filter(word -> !word.isEmpty()).toList());
    }

    /**
     * A rule for an event.
     *
     * @throws NoFieldException if the event has not a field that the rule asks for
     * @throws RuleException if it is no rule
     */
    static Rule parse(EventFormat event, long ticksPerMilli, String text) throws RuleException {
        RuleParser parser = new RuleParser(ticksPerMilli, text);
        List<RuleCondition> conditions = new ArrayList<>();
        return parser.rule(
                (name, operator, value) -> conditions.add(parser.condition(event, name, operator, value)), conditions);
    }

    /**
     * Checks the form of a rule, whatever event it is for.
     *
     * @throws RuleException if it is a rule for none
     */
    static void checkForm(String text) throws RuleException {
        new RuleParser(1, text).rule((name, operator, value) -> checkOperator(operator), List.of());
    }

    /** @param conditions what the tests become meanwhile */
    private Rule rule(Tests tests, List<RuleCondition> conditions) throws RuleException {
        String action = next();
        long argument = 0;
        Rule.Action what;
        switch (action) {
            case "log", "urgent" -> what = Rule.Action.LOG;
            case "drop" -> what = Rule.Action.DROP;
            case "sample" -> {
                what = Rule.Action.SAMPLE;
                argument = sampleCount(next());
            }
            case "every" -> {
                what = Rule.Action.EVERY;
                argument = micros(next()) * ticksPerMilli / 1_000;
            }
            default -> throw new RuleException("a rule begins with log, drop, urgent, sample N or every TIME");
        }
        takeTests(tests);
        return new Rule(what, argument, conditions);
    }

    private void takeTests(Tests tests) throws RuleException {
        if (words.isEmpty()) {
            return;
        }
        if (!next().equals("if")) {
            throw new RuleException("after the action comes the end, or: if TEST and TEST ...");
        }
        int taken = 0;
        do {
            if (taken++ == CONDITIONS_MAX) {
                throw new RuleException("a rule has at most 16 tests");
            }
            takeTest(tests);
            if (!words.isEmpty() && !words.peek().equals("and")) {
                throw new RuleException("tests are joined by: and; for or, write a rule more");
            }
        } while (!next().isEmpty());
    }

    private void takeTest(Tests tests) throws RuleException {
        String name = next();
        String operator = next();
        String value = next();
        if (value.isEmpty()) {
            throw new RuleException("a test is FIELD OP VALUE, with spaces between");
        }
        tests.add(name, operator, value);
    }

    private static void checkOperator(String operator) throws RuleException {
        if (!OPERATORS.contains(operator)) {
            throw new RuleException(
                    "a test is FIELD OP VALUE, with spaces between; OP is ==, !=, <, <=, >, >=, & or in");
        }
    }

    private RuleCondition condition(EventFormat event, String name, String operator, String value)
            throws RuleException {
        RuleField field = RuleField.of(event, name);
        if (field == null) {
            throw new NoFieldException(name);
        }
        boolean list = Stream.of("==", "!=", "in").anyMatch(operator::equals);
        RuleCondition condition = new RuleCondition(field, operator.equals("!=") || operator.equals("&"));
        if (list) {
            addList(condition, field, value);
        } else if (field.isAddress()) {
            throw new RuleException("addresses are compared with ==, != and in");
        } else {
            addComparison(condition, field, operator, number(field, value));
        }
        ranges += condition.size();
        if (ranges > RANGES_MAX) {
            throw new RuleException("a rule has at most 32 values and ranges");
        }
        return condition;
    }

    private void addComparison(RuleCondition condition, RuleField field, String operator, long value)
            throws RuleException {
        checkOperator(operator);
        boolean beyond =
                (operator.equals("<") && value == smallest(field)) || (operator.equals(">") && value == largest(field));
        if (beyond) {
            throw new RuleException("no value of the field is beyond its smallest or largest one");
        }
        switch (operator) {
            case "<" -> condition.addRange(smallest(field), value - 1);
            case "<=" -> condition.addRange(smallest(field), value);
            case ">" -> condition.addRange(value + 1, largest(field));
            case ">=" -> condition.addRange(value, largest(field));
            default -> condition.addClear(value & field.mask());
        }
    }

    private void addList(RuleCondition condition, RuleField field, String list) throws RuleException {
        for (String item : list.split(",", -1)) {
            if (field.isAddress()) {
                addAddress(condition, item);
                continue;
            }
            int dash = item.indexOf('-', 1);
            long low = number(field, dash < 0 ? item : item.substring(0, dash));
            long high = dash < 0 ? low : number(field, item.substring(dash + 1));
            if (field.signed() ? low > high : Long.compareUnsigned(low, high) > 0) {
                throw new RuleException(
                        "a range begins with its smaller value; nothing can be smaller than the smallest");
            }
            condition.addRange(low, high);
        }
    }

    /** ADDRESS or ADDRESS/BITS, of either family. */
    private static void addAddress(RuleCondition condition, String text) throws RuleException {
        int slash = text.indexOf('/');
        String prefix = slash < 0 ? "" : text.substring(slash + 1);
        String address = slash < 0 ? text : text.substring(0, slash);
        boolean ipv4 = IPV4.matcher(address).matches();
        int before = ipv4 ? MAPPED_BITS : 0;
        byte[] bytes = ipv4 || IPV6.matcher(address).matches() ? bytes(address) : null;
        int bits = ADDRESS_BITS;
        if (slash >= 0) {
            bits = PREFIX.matcher(prefix).matches() ? Integer.parseInt(prefix) + before : ADDRESS_BITS + 1;
        }
        if (bytes == null || bits > ADDRESS_BITS) {
            throw new RuleException(
                    "an address is IPv4 or IPv6, with a prefix length if wanted: 10.0.0.0/8, fe80::/10");
        }
        ByteBuffer halves = ByteBuffer.wrap(bytes);
        // Java makes an IPv4 address of a mapped one by itself.
        long high = bytes.length == Integer.BYTES ? 0 : halves.getLong();
        long low = bytes.length == Integer.BYTES
                ? 0xffffL << 32 | Integer.toUnsignedLong(halves.getInt())
                : halves.getLong();
        condition.addPrefix(high, low, prefixMask(bits), prefixMask(bits - Long.SIZE));
    }

    /** The pattern lets nothing through that would be looked up. */
    private static byte @Nullable [] bytes(String address) {
        try {
            return InetAddress.getByName(address).getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static long prefixMask(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : ~(-1L >>> bits);
    }

    private static long smallest(RuleField field) {
        return field.signed() ? -1L << (field.bits() - 1) : 0;
    }

    private static long largest(RuleField field) {
        return field.signed() ? field.mask() >>> 1 : field.mask();
    }

    private static long number(RuleField field, String text) throws RuleException {
        Long protocol = field.source() == RuleField.Source.PROTOCOL ? PROTOCOLS.get(text) : null;
        if (protocol != null) {
            return protocol;
        }
        BigInteger value = integer(text);
        BigInteger least = BigInteger.valueOf(smallest(field));
        BigInteger most = new BigInteger(Long.toUnsignedString(largest(field)));
        if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new RuleException("a value is no number, or not one that the field can have");
        }
        return value.longValue();
    }

    /** As in C: hexadecimal with 0x, octal with 0. */
    private static @Nullable BigInteger integer(String text) {
        boolean negative = text.startsWith("-");
        String digits = negative ? text.substring(1) : text;
        int radix = 10;
        if (digits.startsWith("0x") || digits.startsWith("0X")) {
            radix = 16;
            digits = digits.substring(2);
        } else if (digits.startsWith("0") && digits.length() > 1) {
            radix = 8;
        }
        if (digits.isEmpty() || !Character.isLetterOrDigit(digits.charAt(0))) {
            return null;
        }
        try {
            BigInteger value = new BigInteger(digits, radix);
            return negative ? value.negate() : value;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static long sampleCount(String text) throws RuleException {
        BigInteger value = integer(text);
        if (value == null || value.signum() <= 0 || value.bitLength() >= Integer.SIZE) {
            throw new RuleException("sample wants a number N, one event of N is logged");
        }
        return value.longValue();
    }

    private static long micros(String text) throws RuleException {
        try {
            long micros = TimeSpan.parse(text).micros();
            if (micros > 0 && micros <= MICROS_MAX) {
                return micros;
            }
        } catch (IllegalArgumentException e) {
            // It is said below what is one.
        }
        throw new RuleException(
                "every wants a time of at most an hour: 500us, 20ms, 1s, 5m; a number alone is seconds");
    }

    /** The next word; empty at the end. */
    private String next() {
        String word = words.poll();
        return word == null ? "" : word;
    }
}
