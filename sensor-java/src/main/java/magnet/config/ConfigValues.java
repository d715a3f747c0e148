// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import magnet.job.JobNames;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricBound;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.metric.Replacement;
import magnet.metric.ValueType;

/** What the texts of {@code magnet.conf} come to, and whether they fit each other. For one thread. */
final class ConfigValues {
    private static final Pattern OR = Pattern.compile("\\sor\\s");
    private static final Pattern BUFFER_NAME = Pattern.compile("[\\w-][\\w.-]{0,57}");
    private static final int TRACES_MOST = 10_000;
    private static final String AUTO = "auto";
    /** The 15 s between two polls of gmetad, and the 5 % by which it varies them. */
    private static final Duration GMETAD_POLL = Duration.ofMillis(15_750);

    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    private final ConfigTexts texts;

    /** @param texts what is given */
    ConfigValues(ConfigTexts texts) {
        this.texts = texts;
    }

    /**
     * @param jobs which cgroups are jobs
     * @param own tells what the handlers publish
     * @param sinks those that there are
     */
    MagnetConfig config(
            List<HandlerConfig> handlers, JobNames jobs, OwnMetrics own, List<? extends SinkSection<?>> sinks)
            throws ConfigException {
        long bufferBytes = texts.size(ServiceKeys.BUFFER_SIZE, 64 * KIB, 256 * MIB);
        Duration interval = texts.time(ServiceKeys.INTERVAL, Duration.ofSeconds(1), Duration.ofSeconds(20));
        return new MagnetConfig(
                bufferBytes,
                (int) texts.size(ServiceKeys.WATERMARK, KIB, bufferBytes / 4 * 3),
                texts.time(ServiceKeys.MAX_READ_TIMEOUT, Duration.ofMillis(1), Duration.ofSeconds(1)),
                texts.time(ServiceKeys.HOLD_BACK, Duration.ZERO, Duration.ofSeconds(1)),
                interval,
                window(interval),
                SinkChoice.read(sinks, texts),
                texts.path(ServiceKeys.GMOND_CONF).orElseThrow(() -> texts.bad(ServiceKeys.GMOND_CONF)),
                metrics(handlers, own),
                texts.word(ServiceKeys.LOG_LEVEL, LogLevel.class),
                affinity(),
                texts.path(ServiceKeys.TEE_DIRECTORY),
                texts.path(ServiceKeys.PID_FILE),
                new HandlerChoice(texts.path(ServiceKeys.HANDLER_DIRECTORY), handlers),
                recorder(),
                jobs);
    }

    /** All keys have to be good, also of a recorder that nobody names. */
    private Optional<RecorderChoice> recorder() throws ConfigException {
        String recorder = texts.text(ServiceKeys.RECORDER);
        RecorderChoice choice = new RecorderChoice(
                recorder,
                texts.path(ServiceKeys.RECORD_DIRECTORY).orElseThrow(() -> texts.bad(ServiceKeys.RECORD_DIRECTORY)),
                saveWhen(),
                texts.number(ServiceKeys.KEEP_TRACES, TRACES_MOST),
                texts.size(ServiceKeys.KEEP_SIZE, MIB, 1024 * 1024 * MIB),
                texts.size(ServiceKeys.MIN_FREE, 0, 1024 * 1024 * MIB),
                texts.time(ServiceKeys.PAUSE, Duration.ZERO, Duration.ofDays(1)));
        if (recorder.isEmpty()) {
            return Optional.empty();
        }
        if (!BUFFER_NAME.matcher(recorder).matches()) {
            throw texts.bad(ServiceKeys.RECORDER);
        }
        if (choice.when().equals(Set.of(RecorderChoice.When.RAISED))
                && texts.text(ServiceKeys.RAISE_WHEN).isEmpty()) {
            throw new ConfigException(texts.place(ServiceKeys.RECORDER) + "[record] recorder = " + recorder
                    + " is never saved: save-when = raised needs [metrics] raise-when");
        }
        return Optional.of(choice);
    }

    private Set<RecorderChoice.When> saveWhen() throws ConfigException {
        Set<RecorderChoice.When> when = EnumSet.noneOf(RecorderChoice.When.class);
        for (String each : texts.items(ServiceKeys.SAVE_WHEN)) {
            RecorderChoice.When known = Arrays.stream(RecorderChoice.When.values())
                    .filter(one -> one.name().equalsIgnoreCase(each))
                    .findFirst()
                    .orElseThrow(() -> texts.bad(ServiceKeys.SAVE_WHEN));
            if (!when.add(known)) {
                throw texts.bad(ServiceKeys.SAVE_WHEN);
            }
        }
        return when;
    }

    private Duration window(Duration interval) throws ConfigException {
        if (texts.text(ServiceKeys.WINDOW).equals(AUTO)) {
            return autoWindow(interval);
        }
        Duration window = texts.time(ServiceKeys.WINDOW, interval, interval.multipliedBy(60));
        if (window.toNanos() % interval.toNanos() != 0) {
            throw texts.bad(ServiceKeys.WINDOW);
        }
        return window;
    }

    /** A spike has to be seen by one poll of gmetad at least: whole intervals that cover a poll and an interval. */
    static Duration autoWindow(Duration interval) {
        long each = interval.toNanos();
        long least = GMETAD_POLL.toNanos() + each;
        return interval.multipliedBy((least + each - 1) / each);
    }

    private MetricChoice metrics(List<HandlerConfig> handlers, OwnMetrics own) throws ConfigException {
        Set<MetricGroup> groups = groups();
        Level level = texts.word(ServiceKeys.LEVEL, Level.class);
        Level raiseTo = texts.word(ServiceKeys.RAISE_TO, Level.class);
        Set<Replacement> replace = replace();
        List<Metric> ofHandlers = own.of(handlers);
        List<MetricBound> conditions = conditions(published(groups, level, replace, ofHandlers), ofHandlers);
        if (!conditions.isEmpty() && level.includes(raiseTo)) {
            throw texts.isGiven(ServiceKeys.RAISE_TO) ? texts.bad(ServiceKeys.RAISE_TO) : nothingAbove(level);
        }
        Duration raiseFor = texts.time(ServiceKeys.RAISE_FOR, Duration.ofSeconds(1), Duration.ofDays(1));
        return new MetricChoice(groups, level, conditions, raiseTo, raiseFor, replace);
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
        if (texts.text(ServiceKeys.RAISE_WHEN).isEmpty()) {
            return conditions;
        }
        for (String each : OR.split(texts.text(ServiceKeys.RAISE_WHEN), -1)) {
            MetricBound.Text text = MetricBound.parse(each).orElseThrow(() -> texts.bad(ServiceKeys.RAISE_WHEN));
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
        return new ConfigException(texts.place(ServiceKeys.RAISE_WHEN) + "[metrics] " + ServiceKeys.RAISE_WHEN.key()
                + ": there is no level above level = " + level.key() + " to go over to");
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
                                .orElseGet(() -> InstalledDocument.path("metrics.md")
                                        + " lists them, and [handler NAME] declares others");
        return new ConfigException(
                texts.place(ServiceKeys.RAISE_WHEN) + "[metrics] " + ServiceKeys.RAISE_WHEN.key() + ": " + why);
    }

    private Set<Replacement> replace() throws ConfigException {
        Set<Replacement> replace = EnumSet.noneOf(Replacement.class);
        if (texts.text(ServiceKeys.REPLACE).isEmpty()) {
            return replace;
        }
        for (String each : texts.items(ServiceKeys.REPLACE)) {
            Replacement known =
                    Replacement.ofKey(each.toLowerCase(Locale.ROOT)).orElseThrow(() -> texts.bad(ServiceKeys.REPLACE));
            if (!replace.add(known)) {
                throw texts.bad(ServiceKeys.REPLACE);
            }
        }
        return replace;
    }

    private Set<MetricGroup> groups() throws ConfigException {
        Set<MetricGroup> groups = EnumSet.of(MetricGroup.SENSOR);
        for (MetricGroup group : MetricGroup.values()) {
            if (texts.isOn(group)) {
                groups.add(group);
            }
        }
        return groups;
    }

    private Set<Integer> affinity() throws ConfigException {
        String text = texts.text(ServiceKeys.AFFINITY);
        return text.isEmpty() ? Set.of() : CpuList.parse(text).orElseThrow(() -> texts.bad(ServiceKeys.AFFINITY));
    }
}
