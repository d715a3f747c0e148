// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a page by the letter of OpenMetrics 1.0, or of Prometheus' text format 0.0.4, and refuses what these do not allow.
 * Knows gauges only. Shares no code with what writes pages.
 */
final class OpenMetricsText {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
    private static final Pattern METADATA = Pattern.compile("# (TYPE|UNIT|HELP) (\\S+) (.*)");
    private static final Pattern SAMPLE = Pattern.compile("([^ {]+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");
    private static final Pattern ESCAPED = Pattern.compile("(?:[^\\\\]|\\\\[\\\\\"n])*");
    private static final List<String> SUFFIXES =
            List.of("_total", "_created", "_bucket", "_count", "_sum", "_gcount", "_gsum", "_info");

    /**
     * A family.
     *
     * @param unit empty if it has none
     * @param samples values by labels, in the order of the page
     */
    record Family(String name, String type, String unit, String help, Map<Map<String, String>, BigDecimal> samples) {
        /** The only value, of a family without labels. */
        BigDecimal value() {
            if (samples.size() != 1 || !samples.containsKey(Map.of())) {
                throw new IllegalArgumentException("not a single value: " + this);
            }
            return samples.get(Map.of());
        }
    }

    private final boolean openMetrics;
    private final Map<String, Family> families = new LinkedHashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private String current = "";

    private OpenMetricsText(boolean openMetrics) {
        this.openMetrics = openMetrics;
    }

    /** Families by name, in the order of the page. */
    static Map<String, Family> parse(byte[] page) {
        return new OpenMetricsText(true).read(decode(page));
    }

    /** The same of Prometheus' text format. */
    static Map<String, Family> parsePrometheus(byte[] page) {
        return new OpenMetricsText(false).read(decode(page));
    }

    private static String decode(byte[] page) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(page))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not UTF-8", e);
        }
    }

    private Map<String, Family> read(String page) {
        check(page.endsWith("\n"), "no line feed at the end", page);
        List<String> lines =
                new ArrayList<>(List.of(page.substring(0, page.length() - 1).split("\n", -1)));
        if (openMetrics) {
            check(lines.remove(lines.size() - 1).equals("# EOF"), "no # EOF at the end", page);
        }
        lines.forEach(this::line);
        for (String name : families.keySet()) {
            for (String suffix : SUFFIXES) {
                check(
                        !families.containsKey(name + suffix),
                        "a name that may be a sample of another family",
                        name + suffix);
            }
        }
        return families;
    }

    private void line(String line) {
        if (line.startsWith("#")) {
            Matcher matcher = matched(METADATA, line);
            metadata(matcher.group(1), matcher.group(2), matcher.group(3), line);
        } else {
            Matcher matcher = matched(SAMPLE, line);
            sample(matcher.group(1), matcher.group(2), matcher.group(3), line);
        }
    }

    private void metadata(String kind, String name, String text, String line) {
        if (!name.equals(current)) {
            matched(NAME, name);
            check(!families.containsKey(name), "a family in two places", line);
            current = name;
            metadata.clear();
        }
        check(!families.containsKey(name), "metadata after samples", line);
        check(metadata.put(kind, text) == null, "twice", line);
        switch (kind) {
            case "TYPE" -> check(text.equals("gauge"), "not a gauge", line);
            case "UNIT" ->
                check(openMetrics && !text.isEmpty() && name.endsWith("_" + text), "unit not at the end", line);
            default -> {
                matched(ESCAPED, text);
                check(openMetrics || !text.contains("\\\""), "an escape that text does not have", line);
            }
        }
    }

    private void sample(String name, String labels, String value, String line) {
        check(name.equals(current), "a sample without metadata before it", line);
        check(metadata.containsKey("TYPE") && metadata.containsKey("HELP"), "no type or no help", line);
        Family family = families.computeIfAbsent(
                name,
                each -> new Family(
                        each,
                        metadata.get("TYPE"),
                        metadata.getOrDefault("UNIT", ""),
                        unescape(metadata.get("HELP")),
                        new LinkedHashMap<>()));
        check(family.samples().put(labels(labels, line), new BigDecimal(value)) == null, "the same labels twice", line);
    }

    private static Map<String, String> labels(String text, String line) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (text == null) {
            return labels;
        }
        Matcher matcher = LABEL.matcher(text);
        int at = 0;
        while (at < text.length()) {
            check(matcher.find(at) && matcher.start() == at, "not a label", line);
            check(!matcher.group(1).startsWith("__"), "a label for Prometheus itself", line);
            check(labels.put(matcher.group(1), unescape(matcher.group(2))) == null, "a label twice", line);
            at = matcher.end();
        }
        Set<String> names = new HashSet<>(labels.keySet());
        check(!names.contains("le") && !names.contains("quantile"), "a label of histograms or summaries", line);
        return labels;
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
                c = text.charAt(i) == 'n' ? '\n' : text.charAt(i);
            }
            plain.append(c);
        }
        return plain.toString();
    }

    private static Matcher matched(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        check(matcher.matches(), "not " + pattern, text);
        return matcher;
    }

    private static void check(boolean allowed, String what, String where) {
        if (!allowed) {
            throw new IllegalArgumentException(what + ": " + where);
        }
    }
}
