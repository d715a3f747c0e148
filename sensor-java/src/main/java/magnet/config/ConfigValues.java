// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricBound;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.metric.Replacement;
import magnet.metric.ValueType;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;

/** Turns texts into values and checks them. For one thread. */
final class ConfigValues {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern COMMA = Pattern.compile(",");
    private static final Pattern OR = Pattern.compile("\\sor\\s");
    private static final String AUTO = "auto";
    /** The 15 s between two polls of gmetad, and the 5 % by which it varies them. */
    private static final long GMETAD_POLL_MILLIS = 15_750;

    private static final int MOST_CLIENTS = 1_024;
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    private final String file;
    private final Map<ConfigKey, Given> given;

    /**
     * @param file name for messages about what is not given
     * @param given what is
     */
    ConfigValues(String file, Map<ConfigKey, Given> given) {
        this.file = file;
        this.given = given;
    }

    /** @param own tells what the handlers publish */
    MagnetConfig config(List<HandlerConfig> handlers, OwnMetrics own) throws ConfigException {
        long bufferBytes = size(ConfigKey.BUFFER_SIZE, 64 * KIB, 256 * MIB);
        Duration interval = time(ConfigKey.INTERVAL, Duration.ofSeconds(1), Duration.ofSeconds(20));
        return new MagnetConfig(
                bufferBytes,
                (int) size(ConfigKey.WATERMARK, KIB, bufferBytes / 4 * 3),
                time(ConfigKey.MAX_READ_TIMEOUT, Duration.ofMillis(1), Duration.ofSeconds(1)),
                time(ConfigKey.HOLD_BACK, Duration.ZERO, Duration.ofSeconds(1)),
                interval,
                window(interval),
                openMetrics(),
                supermon(),
                muse(),
                path(ConfigKey.GMOND_CONF).orElseThrow(() -> bad(ConfigKey.GMOND_CONF)),
                metrics(handlers, own),
                logLevel(),
                affinity(),
                path(ConfigKey.TEE_DIRECTORY),
                path(ConfigKey.PID_FILE),
                new HandlerChoice(path(ConfigKey.HANDLER_DIRECTORY), handlers));
    }

    private String text(ConfigKey key) {
        Given value = given.get(key);
        return value == null ? key.defaultText() : value.text();
    }

    private ConfigException bad(ConfigKey key) {
        return new ConfigException(place(key) + "[" + key.section() + "] " + key.key() + " = '" + text(key)
                + "'; allowed is " + key.allowed());
    }

    private long size(ConfigKey key, long least, long most) throws ConfigException {
        long bytes = parsed(key, ByteSize::parse).bytes();
        if (bytes < least || bytes > most) {
            throw bad(key);
        }
        return bytes;
    }

    private Duration time(ConfigKey key, Duration least, Duration most) throws ConfigException {
        Duration time = parsed(key, TimeSpan::parse).duration();
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw bad(key);
        }
        return time;
    }

    private <T> T parsed(ConfigKey key, Function<String, T> grammar) throws ConfigException {
        try {
            return grammar.apply(text(key));
        } catch (IllegalArgumentException e) {
            throw bad(key);
        }
    }

    private Duration window(Duration interval) throws ConfigException {
        if (text(ConfigKey.WINDOW).equals(AUTO)) {
            return autoWindow(interval);
        }
        Duration window = time(ConfigKey.WINDOW, interval, interval.multipliedBy(60));
        if (window.toMillis() % interval.toMillis() != 0) {
            throw bad(ConfigKey.WINDOW);
        }
        return window;
    }

    /** A spike has to be seen by one poll of gmetad at least: whole intervals that cover a poll and an interval. */
    static Duration autoWindow(Duration interval) {
        long least = GMETAD_POLL_MILLIS + interval.toMillis();
        long intervals = (least + interval.toMillis() - 1) / interval.toMillis();
        return interval.multipliedBy(intervals);
    }

    private Optional<Path> path(ConfigKey key) throws ConfigException {
        if (text(key).isEmpty()) {
            return Optional.empty();
        }
        try {
            Path path = Path.of(text(key));
            if (path.isAbsolute()) {
                return Optional.of(path);
            }
        } catch (InvalidPathException e) {
            // Said below, with what is allowed.
        }
        throw bad(key);
    }

    private MetricChoice metrics(List<HandlerConfig> handlers, OwnMetrics own) throws ConfigException {
        Set<MetricGroup> groups = groups();
        Level level = level(ConfigKey.LEVEL);
        Level raiseTo = level(ConfigKey.RAISE_TO);
        Set<Replacement> replace = replace();
        List<Metric> ofHandlers = own.of(handlers);
        List<MetricBound> conditions = conditions(published(groups, level, replace, ofHandlers), ofHandlers);
        if (!conditions.isEmpty() && level.includes(raiseTo)) {
            throw given.containsKey(ConfigKey.RAISE_TO) ? bad(ConfigKey.RAISE_TO) : nothingAbove(level);
        }
        Duration raiseFor = time(ConfigKey.RAISE_FOR, Duration.ofSeconds(1), Duration.ofDays(1));
        return new MetricChoice(groups, level, conditions, raiseTo, raiseFor, replace);
    }

    private Level level(ConfigKey key) throws ConfigException {
        try {
            return Level.valueOf(text(key).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad(key);
        }
    }

    private static List<Metric> published(
            Set<MetricGroup> groups, Level level, Set<Replacement> replace, List<Metric> own) {
        List<Metric> published = new ArrayList<>(Metrics.chosen(groups, level, true));
        replace.forEach(each -> published.addAll(each.metrics()));
        own.stream().filter(each -> level.includes(each.level())).forEach(published::add);
        return published;
    }

    /** Only of what is published as a rule: nothing else can be looked at. */
    private List<MetricBound> conditions(List<Metric> published, List<Metric> own) throws ConfigException {
        List<MetricBound> conditions = new ArrayList<>();
        if (text(ConfigKey.RAISE_WHEN).isEmpty()) {
            return conditions;
        }
        for (String each : OR.split(text(ConfigKey.RAISE_WHEN), -1)) {
            MetricBound.Text text = MetricBound.parse(each).orElseThrow(() -> bad(ConfigKey.RAISE_WHEN));
            String name = text.name();
            Metric metric = published.stream()
                    .filter(one -> one.name().equals(name) && one.type() != ValueType.STRING)
                    .findFirst()
                    .orElseThrow(() -> notPublished(name, published, own));
            conditions.add(text.of(metric));
        }
        return conditions;
    }

    private ConfigException nothingAbove(Level level) {
        return new ConfigException(place(ConfigKey.RAISE_WHEN) + "[metrics] " + ConfigKey.RAISE_WHEN.key()
                + ": there is no level above level = " + level.key() + " to go over to");
    }

    /** Where a key stands, or the file where it does not, with {@code ": "} at its end. */
    private String place(ConfigKey key) {
        Given value = given.get(key);
        return value == null ? file + ": " : value.place();
    }

    private ConfigException notPublished(String name, List<Metric> published, List<Metric> own) {
        boolean known = Metrics.named(name).isPresent()
                || own.stream().anyMatch(each -> each.name().equals(name));
        String why = known
                ? name + " is not a number that is published at this level by these groups"
                : "there is no metric '" + name + "'; "
                        + NearestName.near(
                                        name,
                                        published.stream().map(Metric::name).toList())
                                .map(near -> "did you mean '" + near + "'?")
                                .orElse("docs/metrics.md lists them, and [handler NAME] declares others");
        return new ConfigException(
                place(ConfigKey.RAISE_WHEN) + "[metrics] " + ConfigKey.RAISE_WHEN.key() + ": " + why);
    }

    private Set<Replacement> replace() throws ConfigException {
        Set<Replacement> replace = EnumSet.noneOf(Replacement.class);
        if (text(ConfigKey.REPLACE).isEmpty()) {
            return replace;
        }
        for (String each : COMMA.split(text(ConfigKey.REPLACE), -1)) {
            Replacement known =
                    Replacement.ofKey(each.strip().toLowerCase(Locale.ROOT)).orElseThrow(() -> bad(ConfigKey.REPLACE));
            if (!replace.add(known)) {
                throw bad(ConfigKey.REPLACE);
            }
        }
        return replace;
    }

    private Set<MetricGroup> groups() throws ConfigException {
        Set<MetricGroup> groups = EnumSet.of(MetricGroup.SENSOR);
        for (MetricGroup group : MetricGroup.values()) {
            Optional<ConfigKey> key = ConfigKey.find("metrics", group.key());
            if (key.isPresent() && flag(key.get())) {
                groups.add(group);
            }
        }
        return groups;
    }

    private boolean flag(ConfigKey key) throws ConfigException {
        return switch (text(key).toLowerCase(Locale.ROOT)) {
            case "on", "yes", "true" -> true;
            case "off", "no", "false" -> false;
            default -> throw bad(key);
        };
    }

    private Optional<InetSocketAddress> openMetrics() throws ConfigException {
        String text = text(ConfigKey.OPENMETRICS);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(LoopbackAddress.parse(text).orElseThrow(() -> bad(ConfigKey.OPENMETRICS)));
    }

    private Optional<SupermonConfig> supermon() throws ConfigException {
        List<Network> allow = allow();
        int clients = number(ConfigKey.SUPERMON_CLIENTS, MOST_CLIENTS);
        SupermonConfig.Shape shape = shape();
        Optional<Path> hole = path(ConfigKey.SUPERMON_HOLE);
        String text = text(ConfigKey.SUPERMON_LISTEN);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(new SupermonConfig(
                        ListenAddress.parse(text, ListenAddress.SUPERMON_PORT)
                                .orElseThrow(() -> bad(ConfigKey.SUPERMON_LISTEN)),
                        allow,
                        clients,
                        shape,
                        hole));
    }

    private Optional<MuseConfig> muse() throws ConfigException {
        int clients = number(ConfigKey.MUSE_CLIENTS, MOST_CLIENTS);
        MuseConfig.Layout layout = museLayout();
        Optional<Path> socket = path(ConfigKey.MUSE_SOCKET);
        String text = text(ConfigKey.MUSE_LISTEN);
        Optional<InetSocketAddress> address = text.isEmpty()
                ? Optional.empty()
                : Optional.of(LoopbackAddress.parse(text).orElseThrow(() -> bad(ConfigKey.MUSE_LISTEN)));
        return socket.isEmpty() && address.isEmpty()
                ? Optional.empty()
                : Optional.of(new MuseConfig(socket, address, clients, layout));
    }

    private MuseConfig.Layout museLayout() throws ConfigException {
        try {
            return MuseConfig.Layout.valueOf(text(ConfigKey.MUSE_LAYOUT).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad(ConfigKey.MUSE_LAYOUT);
        }
    }

    private List<Network> allow() throws ConfigException {
        List<Network> allow = new ArrayList<>();
        for (String each : COMMA.split(text(ConfigKey.SUPERMON_ALLOW), -1)) {
            allow.add(Network.parse(each.strip()).orElseThrow(() -> bad(ConfigKey.SUPERMON_ALLOW)));
        }
        return allow;
    }

    private SupermonConfig.Shape shape() throws ConfigException {
        try {
            return SupermonConfig.Shape.valueOf(text(ConfigKey.SUPERMON_FORMAT).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad(ConfigKey.SUPERMON_FORMAT);
        }
    }

    private int number(ConfigKey key, int most) throws ConfigException {
        String text = text(key);
        int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > most) {
            throw bad(key);
        }
        return number;
    }

    private Set<Integer> affinity() throws ConfigException {
        String text = text(ConfigKey.AFFINITY);
        return text.isEmpty() ? Set.of() : CpuList.parse(text).orElseThrow(() -> bad(ConfigKey.AFFINITY));
    }

    private LogLevel logLevel() throws ConfigException {
        try {
            return LogLevel.valueOf(text(ConfigKey.LOG_LEVEL).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw bad(ConfigKey.LOG_LEVEL);
        }
    }
}
