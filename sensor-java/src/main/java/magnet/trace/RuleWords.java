// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.WordKind;
import magnet.record.Words;
import magnet.unit.EditDistance;
import org.jspecify.annotations.Nullable;

/**
 * Puts numbers in the place of words in rules, with the words that output has: {@code reason == NO_SOCKET} becomes
 * {@code reason == 3}. The kernel takes numbers, and each kernel has its own. Immutable.
 */
public final class RuleWords {
    private static final Pattern SEPARATOR = Pattern.compile("[;\n]");
    private static final Pattern SPACE = Pattern.compile("[ \t]+");
    /** {@code if FIELD OP VALUE and}. */
    private static final int TEST_LENGTH = 4;

    private static final Pattern NUMBER = Pattern.compile("-?\\d.*");
    private static final Set<String> LISTS = Set.of("==", "!=", "in");
    private static final Pattern WORD = Pattern.compile("[\\w.|-]+");
    private static final int FEW = 24;
    private static final int NEAREST = 5;
    /** As ps has them; proc(5). */
    private static final Map<String, String> LETTERS = Map.of(
            "R", "runnable",
            "S", "sleeping",
            "D", "disk_sleep",
            "T", "stopped",
            "t", "tracing_stop",
            "X", "dead",
            "Z", "zombie",
            "P", "parked",
            "I", "idle");

    private static final long STATE_MOST = 0xffff_ffffL;
    /** What rules have called it before they had words. */
    private static final String ICMP6 = "icmpv6";

    private static final String ICMP6_NUMBER = "58";

    private final Words words;
    private final boolean anyKernel;

    private RuleWords(Words words, boolean anyKernel) {
        this.words = words;
        this.anyKernel = anyKernel;
    }

    /** With the words of a kernel. */
    public static RuleWords of(Words words) {
        return new RuleWords(words, false);
    }

    /**
     * For rules that are checked before anybody knows the kernel. A word that each kernel has a number of its own for is
     * taken, whatever it is, and becomes 0.
     */
    public static RuleWords ofAnyKernel() {
        return new RuleWords(Words.common(), true);
    }

    /** Whether rules may have words in them, so that somebody has to find out which there are. */
    public static boolean mayBeIn(String rules) {
        for (String rule : SEPARATOR.split(rules, -1)) {
            String[] parts = parts(rule);
            for (int value = firstValue(parts); value < parts.length; value += TEST_LENGTH) {
                if (Stream.of(parts[value].split(",", -1))
                        .anyMatch(item -> !NUMBER.matcher(item).matches())) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The same rules with numbers. What is no rule stays as it is: who parses it says what is wrong.
     *
     * @param event its name: fields of other modules' events and of dynamic points have no words
     * @param rules separated by {@code ;} or new lines
     * @throws RuleException if a word is none that its field has
     */
    public String numbered(String event, String rules) throws RuleException {
        EventType type = type(event);
        if (type == null || !mayBeIn(rules)) {
            return rules;
        }
        List<String> all = new ArrayList<>();
        for (String rule : SEPARATOR.split(rules, -1)) {
            String[] parts = parts(rule);
            for (int value = firstValue(parts); value < parts.length; value += TEST_LENGTH) {
                String field = parts[value - 2];
                WordKind kind = kind(type, field);
                if (kind != WordKind.NUMBER) {
                    parts[value] = numbers(field, kind, LISTS.contains(parts[value - 1]), parts[value]);
                }
            }
            all.add(String.join(" ", parts));
        }
        return String.join("; ", all);
    }

    private static String[] parts(String rule) {
        return SPACE.split(rule.strip(), -1);
    }

    /** Where the first test of a rule has its value; behind the end if there is none. */
    private static int firstValue(String[] parts) {
        int at = 0;
        while (at < parts.length && !parts[at].equals("if")) {
            at++;
        }
        return at + TEST_LENGTH - 1;
    }

    private static @Nullable EventType type(String event) {
        return Arrays.stream(EventType.values())
                .filter(type -> type.label().equals(event))
                .findFirst()
                .orElse(null);
    }

    /** As in rules, a field of the payload goes before all else of its name. */
    private static WordKind kind(EventType type, String name) {
        for (PayloadField field : type.fields()) {
            if (field.name().equals(name)) {
                return field.words();
            }
        }
        return switch (name) {
            case "id" -> type.abstractIdWords();
            case "protocol" -> WordKind.PROTOCOL;
            default -> WordKind.NUMBER;
        };
    }

    private String numbers(String field, WordKind kind, boolean list, String value) throws RuleException {
        List<String> numbers = new ArrayList<>();
        for (String item : list ? value.split(",", -1) : new String[] {value}) {
            if (item.isEmpty() || NUMBER.matcher(item).matches()) {
                numbers.add(item);
                continue;
            }
            Set<String> meant = numbers(field, kind, item);
            if (!list && meant.size() > 1) {
                throw new RuleException("'" + item + "' of " + field
                        + " stands for several numbers: it is compared with ==, != and in");
            }
            numbers.addAll(meant);
        }
        return String.join(",", numbers);
    }

    /** The numbers and ranges that a word stands for. */
    private Set<String> numbers(String field, WordKind kind, String item) throws RuleException {
        if (anyKernel
                && kind != WordKind.TASK_STATE
                && words.of(kind).isEmpty()
                && WORD.matcher(item).matches()) {
            return Set.of("0");
        }
        if (kind == WordKind.GFP_FLAGS) {
            return Set.of(Long.toString(flags(field, item)));
        }
        String word = meant(field, kind, item);
        if (kind == WordKind.TASK_STATE && word.equals(words.of(kind, Payload.SCHED_PREEMPTED))) {
            return Set.of(Payload.SCHED_PREEMPTED + "-" + STATE_MOST);
        }
        if (word.equals(ICMP6)) {
            return Set.of(ICMP6_NUMBER);
        }
        Set<String> numbers = new LinkedHashSet<>();
        words.of(kind).forEach((number, each) -> {
            if (each.equals(word)) {
                numbers.add(Long.toString(number));
            }
        });
        return numbers;
    }

    /** Of flags that are joined as output has them; {@code none} is 0. */
    private long flags(String field, String item) throws RuleException {
        long bits = 0;
        String none = Objects.requireNonNullElse(words.of(WordKind.GFP_FLAGS, 0), "none");
        for (String flag : item.split("\\|", -1)) {
            if (NUMBER.matcher(flag).matches()) {
                bits |= flagNumber(field, flag);
            } else if (!flag.equalsIgnoreCase(none)) {
                String word = meant(field, WordKind.GFP_FLAGS, flag);
                for (Map.Entry<Long, String> each : words.of(WordKind.GFP_FLAGS).entrySet()) {
                    bits |= each.getValue().equals(word) ? each.getKey() : 0;
                }
            }
        }
        return bits;
    }

    private static long flagNumber(String field, String flag) throws RuleException {
        try {
            return Long.decode(flag);
        } catch (NumberFormatException e) {
            throw new RuleException(field + " has no word and no number '" + flag + "'");
        }
    }

    /** The word that was meant: as it is, or the only one that differs in its case alone. */
    private String meant(String field, WordKind kind, String item) throws RuleException {
        Set<String> known = known(kind);
        if (known.contains(item)) {
            return item;
        }
        String letter = kind == WordKind.TASK_STATE ? LETTERS.get(item) : null;
        if (letter != null) {
            return letter;
        }
        List<String> same =
                known.stream().filter(each -> each.equalsIgnoreCase(item)).toList();
        if (same.size() == 1) {
            return same.get(0);
        }
        throw new RuleException(unknown(field, item, known));
    }

    private Set<String> known(WordKind kind) {
        Set<String> known = new TreeSet<>(words.of(kind).values());
        if (kind == WordKind.PROTOCOL) {
            // 0 is what a packet has that is no IP at all.
            known.remove(words.of(kind, 0));
            known.add(ICMP6);
        }
        return known;
    }

    private static String unknown(String field, String item, Set<String> known) {
        String what = field + " has no word '" + item + "'";
        if (known.isEmpty()) {
            return what + "; nobody can tell here which words it has, so give a number";
        }
        if (known.size() <= FEW) {
            return what + "; there are " + String.join(", ", known);
        }
        String wanted = item.toUpperCase(Locale.ROOT);
        return what
                + known.stream()
                        .sorted(Comparator.comparingInt(each -> EditDistance.of(wanted, each.toUpperCase(Locale.ROOT))))
                        .limit(NEAREST)
                        .collect(Collectors.joining(", ", "; the nearest are ", ""));
    }
}
