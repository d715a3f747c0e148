// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The paths of a job's cgroups, as people write them: {@code /system.slice/slurmstepd.scope/job_{*}/**}.
 *
 * <p>{@code *} stands for any characters of one folder's name, {@code ?} for one of them, and {@code **} in place of a name
 * for any number of folders, also none. {@code **.slice} stands for any number of folders whose names end with {@code .slice}.
 * Braces hold what becomes the job's name; a pattern has them once. They may hold
 * {@code *}, {@code ?} and other characters. Where several parts of a path fit, the braces take the first, and as little of
 * it as they can.
 *
 * <p>The time to compare is bounded by the length of the path times that of the pattern. Immutable.
 */
final class JobPattern {
    static final int LENGTH_MAX = 512;

    private static final String DEEP = "**";

    /** A folder's name, with the place of the braces in it; -1 if they are in another. */
    private record Part(String glob, int open, int close) {
        boolean isDeep() {
            return glob.startsWith(DEEP);
        }

        /** Whether it stands for all folders, whatever they are called. */
        boolean isAny() {
            return glob.equals(DEEP);
        }

        /** What each of the folders that it stands for is called. */
        Part each() {
            return new Part(glob.substring(1), -1, -1);
        }
    }

    private final String text;
    private final List<Part> parts;

    private JobPattern(String text, List<Part> parts) {
        this.text = text;
        this.parts = parts;
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if the text is none; the message says why
     */
    static JobPattern parse(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("a pattern has at most " + LENGTH_MAX + " characters");
        }
        if (!text.startsWith("/") && !text.startsWith(DEEP)) {
            throw new IllegalArgumentException("'" + text + "' begins with neither / nor **/");
        }
        List<Part> parts = new ArrayList<>();
        for (String name : (text.startsWith("/") ? text.substring(1) : text).split("/", -1)) {
            Part part = part(text, name);
            if (part.isDeep() && !part.isAny() && parts.stream().anyMatch(Part::isDeep)) {
                throw new IllegalArgumentException("'" + text + "' has " + name + " behind another **");
            }
            parts.add(part);
        }
        if (parts.stream().filter(part -> part.open >= 0).count() != 1) {
            throw new IllegalArgumentException("'" + text + "' must have one pair of braces, as in job_{*}");
        }
        return new JobPattern(text, List.copyOf(parts));
    }

    private static Part part(String text, String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' has an empty name between two slashes");
        }
        if (name.lastIndexOf(DEEP) > 0 || (name.startsWith(DEEP) && name.contains("{"))) {
            throw new IllegalArgumentException(
                    "'" + text + "' has ** behind other characters, or beside braces; it stands for whole names");
        }
        int open = name.indexOf('{');
        int close = name.indexOf('}');
        boolean none = open < 0 && close < 0;
        boolean one = open >= 0 && close > open + 1 && open == name.lastIndexOf('{') && close == name.lastIndexOf('}');
        if (!none && !one) {
            throw new IllegalArgumentException("'" + text + "' must have one pair of braces, as in job_{*}");
        }
        return none
                ? new Part(name, -1, -1)
                : new Part(
                        name.substring(0, open) + name.substring(open + 1, close) + name.substring(close + 1),
                        open,
                        close - 1);
    }

    /** What stands in the braces' place if a path fits; never empty text. */
    Optional<String> captured(List<String> path) {
        String[] name = {""};
        return fits(path, name) && !name[0].isEmpty() ? Optional.of(name[0]) : Optional.empty();
    }

    /**
     * Goes back only to the last {@code **}: what stands before it has fitted as early as it can. Only the first of them may be
     * choosy, so a later start of what follows it would gain nothing.
     */
    private boolean fits(List<String> path, String[] name) {
        int at = 0;
        int part = 0;
        int deep = -1;
        int resume = 0;
        while (at < path.size()) {
            if (part < parts.size() && parts.get(part).isDeep()) {
                deep = ++part;
                resume = at;
                if (deep == parts.size() && parts.get(deep - 1).isAny()) {
                    return true;
                }
            } else if (part < parts.size() && fits(parts.get(part), path.get(at), name)) {
                part++;
                at++;
            } else if (deep >= 0 && stands(parts.get(deep - 1), path.get(resume))) {
                part = deep;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (part < parts.size() && parts.get(part).isDeep()) {
            part++;
        }
        return part == parts.size();
    }

    /** Whether a name is one of those that {@code **} stands for. */
    private static boolean stands(Part deep, String name) {
        return deep.isAny() || fits(deep.each(), name, new String[1]);
    }

    /** The same within a name, with {@code *}. */
    private static boolean fits(Part part, String name, String[] captured) {
        String glob = part.glob;
        int[] marks = {0, name.length()};
        int at = 0;
        int next = 0;
        int star = -1;
        int resume = 0;
        while (true) {
            if (next == part.open) {
                marks[0] = at;
            }
            if (next == part.close) {
                marks[1] = at;
            }
            if (next < glob.length() && glob.charAt(next) == '*') {
                star = ++next;
                resume = at;
            } else if (at == name.length()) {
                break;
            } else if (next < glob.length() && (glob.charAt(next) == '?' || glob.charAt(next) == name.charAt(at))) {
                next++;
                at++;
            } else if (star >= 0) {
                next = star;
                at = ++resume;
            } else {
                return false;
            }
        }
        if (next < glob.length()) {
            return false;
        }
        if (part.open >= 0) {
            captured[0] = name.substring(marks[0], marks[1]);
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
