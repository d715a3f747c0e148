// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the module says and takes, from the lines of the program {@code answers}, whose source explains them. Immutable. */
final class NetlinkAnswers {
    private static final Pattern ATTRIBUTE = Pattern.compile("(\\d+)(?::(\\d+)(?:=(\\d+))?(z)?)?");

    /** An attribute of a message: {@code length} is -1 if it is a nest, {@code value} if it has not four bytes. */
    record Answered(int type, int length, long value, boolean text, List<Answered> nested) {
        boolean isNest() {
            return length < 0;
        }
    }

    /** A reply, or a notice. */
    record Message(String kind, int command, List<Answered> attributes) {}

    private final List<Message> messages = new ArrayList<>();
    private final Map<String, Map<Integer, List<Integer>>> counts = new TreeMap<>();
    private final Map<Integer, Map<Integer, String>> takes = new TreeMap<>();
    private final Map<Integer, Map<Integer, Integer>> longest = new TreeMap<>();

    NetlinkAnswers(String output) {
        output.lines().forEach(this::read);
    }

    private void read(String line) {
        String[] words = line.split(" ", 4);
        int command = Integer.parseInt(words[1]);
        switch (words[0]) {
            case "reply", "event" -> {
                List<String> attributes = List.of(line.split(" ")).subList(2, line.split(" ").length);
                messages.add(new Message(words[0], command, attributes(attributes.iterator())));
            }
            case "do", "dump" ->
                counts.computeIfAbsent(words[0], key -> new TreeMap<>())
                        .computeIfAbsent(command, key -> new ArrayList<>())
                        .add(Integer.valueOf(words[2]));
            case "takes" ->
                takes.computeIfAbsent(command, key -> new TreeMap<>()).put(Integer.valueOf(words[2]), words[3]);
            case "longest" ->
                longest.computeIfAbsent(command, key -> new TreeMap<>())
                        .put(Integer.valueOf(words[2]), Integer.valueOf(words[3]));
            default -> throw new IllegalArgumentException(line);
        }
    }

    /** Up to the end of the message or nest. */
    private static List<Answered> attributes(Iterator<String> words) {
        List<Answered> found = new ArrayList<>();
        while (words.hasNext()) {
            String word = words.next();
            if (word.equals("]")) {
                break;
            }
            Matcher matcher = ATTRIBUTE.matcher(word);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(word);
            }
            int type = Integer.parseInt(matcher.group(1));
            if (matcher.group(2) == null) {
                if (!words.next().equals("[")) {
                    throw new IllegalArgumentException("no nest: " + word);
                }
                found.add(new Answered(type, -1, -1, false, attributes(words)));
            } else {
                long value = matcher.group(3) == null ? -1 : Long.parseLong(matcher.group(3));
                found.add(new Answered(
                        type, Integer.parseInt(matcher.group(2)), value, matcher.group(4) != null, List.of()));
            }
        }
        return List.copyOf(found);
    }

    /** All replies and notices. */
    List<Message> messages() {
        return List.copyOf(messages);
    }

    /** Those of a command. */
    List<Message> messages(int command) {
        return messages.stream().filter(message -> message.command() == command).toList();
    }

    /** The commands that were carried out as "do" or "dump". */
    Set<Integer> commands(String way) {
        return new TreeSet<>(counts.getOrDefault(way, Map.of()).keySet());
    }

    /** How many replies a command had, each time. */
    List<Integer> replies(int command) {
        return counts.getOrDefault("do", Map.of()).getOrDefault(command, List.of());
    }

    /** What a command takes: forms by attribute. */
    Map<Integer, String> takes(int command) {
        return takes.getOrDefault(command, Map.of());
    }

    /** The longest texts that it takes, by attribute. */
    Map<Integer, Integer> longest(int command) {
        return longest.getOrDefault(command, Map.of());
    }
}
