// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.config.HandlerConfig;
import magnet.config.HandlerKey;
import magnet.config.NearestName;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.spi.Description;
import magnet.spi.Field;
import magnet.spi.Handler;
import magnet.spi.Point;
import magnet.trace.EventFormat;

/**
 * Makes definitions of the sections of the configuration, and refuses what cannot work on any kernel: what is wrong with
 * a value is said with its file and line. Stateless.
 */
public final class Declarations {
    /** Most handlers, declared ones and those of jars together. */
    public static final int HANDLERS_MAX = 32;

    private static final String DEFAULT_BY = "id";

    private Declarations() {}

    /**
     * All definitions, in their order.
     *
     * @throws HandlerException if one of them is not good, or two do not go together
     */
    public static List<HandlerDefinition> of(List<HandlerConfig> sections) throws HandlerException {
        List<HandlerDefinition> definitions = new ArrayList<>();
        Map<String, HandlerConfig> metrics = new HashMap<>();
        for (HandlerConfig section : sections) {
            if (definitions.size() == HANDLERS_MAX) {
                throw new HandlerException(section.place() + "there are more than " + HANDLERS_MAX + " handlers");
            }
            HandlerDefinition definition = new Declaration(section).definition();
            for (Metric each : metrics(definition)) {
                String metric = each.name();
                HandlerConfig other = metrics.putIfAbsent(metric, section);
                if (other != null) {
                    throw new HandlerException(section.place() + "[handler " + section.name() + "] has a metric "
                            + metric + ", as has [handler " + other.name() + "]; give one another name by metric =");
                }
            }
            definitions.add(definition);
        }
        return definitions;
    }

    /**
     * What all of them publish, at any level.
     *
     * @throws HandlerException as {@link #of} does
     */
    public static List<Metric> metrics(List<HandlerConfig> sections) throws HandlerException {
        List<Metric> all = new ArrayList<>();
        for (HandlerDefinition definition : of(sections)) {
            all.addAll(metrics(definition));
        }
        return all;
    }

    /** As the handler itself asks for them. */
    private static List<Metric> metrics(HandlerDefinition definition) throws HandlerException {
        List<EventFormat> formats = new ArrayList<>();
        for (Point point : definition.points()) {
            formats.add(PointFormats.of(point));
        }
        Instruments instruments =
                new Instruments(definition.name(), definition.level(), formats, new OwnHandler.Scale(1, 1, true));
        definition.handler().begin(instruments);
        return instruments.metrics();
    }

    /** One section. */
    private static final class Declaration {
        private final HandlerConfig section;

        Declaration(HandlerConfig section) {
            this.section = section;
        }

        HandlerDefinition definition() throws HandlerException {
            check(section.place(), () -> HandlerNames.checkName(section.name()));
            DeclaredKind kind = kind();
            for (HandlerKey key : section.values().keySet()) {
                if (!kind.takes(key)) {
                    throw bad(key, "kind = " + kind.key() + " does not take it");
                }
            }
            List<Point> points = points(kind);
            Optional<String> field = section.text(HandlerKey.FIELD);
            if (kind == DeclaredKind.DISTRIBUTION && field.isEmpty()) {
                throw bad(HandlerKey.FIELD, "kind = distribution needs it: the field that is distributed");
            }
            String by = section.text(HandlerKey.BY).orElse(DEFAULT_BY);
            for (Point point : points) {
                checkField(HandlerKey.FIELD, point, field);
                checkField(HandlerKey.BY, point, Optional.of(by).filter(name -> kind == DeclaredKind.INTERVAL));
            }
            return new HandlerDefinition(
                    section.name(),
                    kind,
                    points,
                    field,
                    by,
                    section.text(HandlerKey.FILTER),
                    metric(kind, field),
                    level());
        }

        private DeclaredKind kind() throws HandlerException {
            String text = section.text(HandlerKey.KIND)
                    .orElseThrow(() -> new HandlerException(
                            section.place() + "[handler " + section.name() + "] has no kind: " + kinds()));
            return DeclaredKind.find(text)
                    .orElseThrow(() -> bad(HandlerKey.KIND, "'" + text + "'; allowed is " + kinds()));
        }

        private static String kinds() {
            return Arrays.stream(DeclaredKind.values()).map(DeclaredKind::key).collect(Collectors.joining(", "));
        }

        private List<Point> points(DeclaredKind kind) throws HandlerException {
            List<Point> points = new ArrayList<>();
            points.add(point(HandlerKey.POINT, HandlerKey.WHERE));
            if (section.text(HandlerKey.UNTIL).isPresent()) {
                points.add(point(HandlerKey.UNTIL, HandlerKey.UNTIL_WHERE));
            } else if (kind == DeclaredKind.INTERVAL
                    && section.text(HandlerKey.UNTIL_WHERE).isPresent()) {
                throw bad(HandlerKey.UNTIL_WHERE, "there is no until whose events it could choose");
            }
            return points;
        }

        private Point point(HandlerKey key, HandlerKey rules) throws HandlerException {
            String text = section.text(key)
                    .orElseThrow(() -> new HandlerException(
                            section.place() + "[handler " + section.name() + "] has no " + key.key()));
            Point all = Point.of(text.strip());
            check(section.place(key), () -> PointFormats.check(all));
            Point point = new Point(all.point(), section.text(rules).orElse(""));
            check(section.place(rules), () -> PointFormats.check(point));
            return point;
        }

        private void checkField(HandlerKey key, Point point, Optional<String> name) throws HandlerException {
            if (name.isEmpty()) {
                return;
            }
            PointFields fields = new PointFields(PointFormats.of(point), true);
            try {
                Field field = fields.field(name.get());
                if (field.isText()) {
                    throw bad(key, "'" + name.get() + "' is a text, and no number");
                }
            } catch (IllegalArgumentException e) {
                throw bad(key, String.valueOf(e.getMessage()));
            }
        }

        private Description metric(DeclaredKind kind, Optional<String> field) throws HandlerException {
            boolean time = kind == DeclaredKind.INTERVAL || isLatency(field);
            String what = section.text(HandlerKey.METRIC)
                    .orElse(
                            kind == DeclaredKind.INTERVAL
                                    ? "interval"
                                    : field.map(Declaration::word).orElse("events"));
            String unit = section.text(HandlerKey.UNIT)
                    .orElse(
                            time
                                    ? "us"
                                    : (field.isPresent() ? what : "events")
                                            + (kind == DeclaredKind.RATE ? "/sec" : ""));
            String title = section.text(HandlerKey.TITLE).orElse((section.name() + " " + what).replace('_', ' '));
            String text = section.text(HandlerKey.DESCRIPTION).orElse("Handler " + section.name() + " of magnet.conf");
            String group = section.text(HandlerKey.GROUP).orElse(HandlerMetrics.GROUP);
            check(section.place(HandlerKey.METRIC), () -> HandlerNames.checkWhat(what));
            check(section.place(HandlerKey.UNIT), () -> HandlerNames.checkText("unit", unit, HandlerMetrics.UNIT_MAX));
            check(
                    section.place(HandlerKey.TITLE),
                    () -> HandlerNames.checkText("title", title, HandlerMetrics.TITLE_MAX));
            check(
                    section.place(HandlerKey.DESCRIPTION),
                    () -> HandlerNames.checkText("description", text, HandlerMetrics.DESCRIPTION_MAX));
            check(section.place(HandlerKey.GROUP), () -> HandlerNames.checkGroup(group));
            return new Description(what, unit, title, text, group);
        }

        private boolean isLatency(Optional<String> field) {
            return field.filter("latency"::equals).isPresent()
                    && section.text(HandlerKey.POINT).orElse("").startsWith("r");
        }

        /** Names of fields may have capital letters and begin with {@code _}. */
        private static String word(String field) {
            String lower = field.toLowerCase(Locale.ROOT);
            return Stream.of(lower.split("_", -1))
                    .filter(part -> !part.isEmpty())
                    .collect(Collectors.joining("_"));
        }

        private Level level() throws HandlerException {
            String text = section.text(HandlerKey.LEVEL).orElse(Level.SUMMARY.key());
            for (Level level : Level.values()) {
                if (level.key().equals(text)) {
                    return level;
                }
            }
            List<String> keys = Arrays.stream(Level.values()).map(Level::key).toList();
            throw bad(HandlerKey.LEVEL, "'" + text + "'; " + NearestName.hint(text, keys));
        }

        private HandlerException bad(HandlerKey key, String why) {
            return new HandlerException(
                    section.place(key) + "[handler " + section.name() + "] " + key.key() + ": " + why);
        }

        private void check(String place, Check check) throws HandlerException {
            try {
                check.run();
            } catch (HandlerException e) {
                throw new HandlerException(place + "[handler " + section.name() + "] " + e.getMessage(), e);
            }
        }
    }

    /** Something that may be wrong. */
    @FunctionalInterface
    private interface Check {
        void run() throws HandlerException;
    }

    /** The same checks for a handler of a jar. */
    static void check(Handler handler) throws HandlerException {
        HandlerNames.checkName(handler.name());
        List<Point> points = handler.points();
        if (points.isEmpty() || points.size() > OwnHandler.POINTS_MAX) {
            throw new HandlerException(
                    "it asks for " + points.size() + " points; allowed are 1 to " + OwnHandler.POINTS_MAX);
        }
        for (Point point : points) {
            PointFormats.check(point);
        }
    }
}
