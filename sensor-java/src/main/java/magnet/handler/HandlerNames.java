// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import magnet.metric.Metric;
import magnet.metric.Metrics;

/** What handlers and their metrics may be called: Ganglia takes a metric's name for that of a file. Stateless. */
final class HandlerNames {
    /** Longest name of a handler. */
    static final int NAME_MAX = 32;
    /** Longest name of what it measures. */
    static final int WHAT_MAX = 40;

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    private static final Pattern GROUP = Pattern.compile("[A-Za-z0-9_.-]{1,60}");
    private static final int SUBSYSTEM = 1;

    private HandlerNames() {}

    /**
     * Refuses what cannot be the name of a handler.
     *
     * @throws HandlerException saying what can
     */
    static void checkName(String name) throws HandlerException {
        if (name.length() > NAME_MAX || !NAME.matcher(name).matches()) {
            throw new HandlerException("'" + name + "' is no name of a handler: that is lower case letters, digits and"
                    + " single _, a letter first, at most 32 characters");
        }
        String first = firstWord(name);
        if (ownWords().contains(first)) {
            throw new HandlerException("'" + name + "' is no name for a handler: names that begin with '" + first
                    + "' are those of magnet's own metrics");
        }
    }

    /**
     * Refuses what cannot be a part of a metric's name.
     *
     * @throws HandlerException saying what can
     */
    static void checkWhat(String what) throws HandlerException {
        if (what.length() > WHAT_MAX || !NAME.matcher(what).matches()) {
            throw new HandlerException("'" + what + "' can be no part of a metric's name: that is lower case letters,"
                    + " digits and single _, a letter first, at most 40 characters");
        }
    }

    /**
     * Refuses what Ganglia does not take for a group.
     *
     * @throws HandlerException saying what it takes
     */
    static void checkGroup(String group) throws HandlerException {
        if (!GROUP.matcher(group).matches()) {
            throw new HandlerException(
                    "'" + group + "' is no group: that is letters, digits, _, - and ., at most 60 characters");
        }
    }

    /**
     * Refuses texts that would break gmond's XML.
     *
     * @param key what it is, for the message
     * @throws HandlerException saying what can be
     */
    static void checkText(String key, String text, int most) throws HandlerException {
        boolean allowed = !text.isEmpty() && text.length() <= most;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            allowed &= c >= ' ' && c <= '~' && "&<>\"'".indexOf(c) < 0;
        }
        if (!allowed) {
            throw new HandlerException(key + " '" + text + "' cannot be published: it has to be printable ASCII without"
                    + " & < > \" ', at most " + most + " characters");
        }
    }

    private static Set<String> ownWords() {
        Set<String> words = new TreeSet<>(Set.of("handlers"));
        for (Metric metric : Metrics.ALL) {
            words.add(metric.name().split("_", -1)[SUBSYSTEM]);
        }
        return words;
    }

    private static String firstWord(String name) {
        int end = name.indexOf('_');
        return end < 0 ? name : name.substring(0, end);
    }
}
