// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.cli.world.CounterSet;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.ChainInfo;
import magnet.control.CorrelationInfo;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.RuleInfo;
import magnet.control.Selection;
import magnet.control.SubscriptionInfo;
import magnet.record.Counter;
import magnet.trace.RuleForm;
import magnet.trace.RuleWords;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet filters}: what stands between an event and the buffer. */
@Command(
        name = "filters",
        header = "List which events each subscription logs; change it while events flow.",
        description = {
            "",
            "Shows for each subscription out of how many events it samples one, the least time between two, how many"
                    + " bytes of a packet it keeps, and which counters it reads. Its rules follow in the order in which"
                    + " they apply, with the number of events that matched. " + ReadOn.DOCS
                    + "/control.md says how to write rules.",
            "",
            "Correlating filters come last: how often they found what they look for, how many events they never saw,"
                    + " and how many they forgot to make room for others.",
            "",
            "A change applies to the subscription that --subscription names, whoever made it. The command then lists"
                    + " the result."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet filters",
            "      # what each subscription logs, and how often its rules matched",
            "  sudo magnet filters --subscription 3 --add 'drop if cpu == 0'",
            "      # one more rule for subscription 3, while events flow",
            "  sudo magnet filters --subscription 3 --sample 100",
            "      # one event of 100 from now on",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/control.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class FiltersCommand implements Callable<Integer> {
    private static final String NONE = "-";

    @Option(names = "--subscription", paramLabel = "ID", description = "The subscription to list or change.")
    private @Nullable Long subscription;

    @Option(names = "--add", paramLabel = "RULE", description = "Append a rule to its chain.")
    private @Nullable String add;

    @Option(names = "--before", paramLabel = "ID", description = "With --add: insert the rule before this one.")
    private @Nullable Long before;

    @Option(names = "--remove", paramLabel = "ID", description = "Remove this rule from its chain.")
    private @Nullable Long remove;

    @Option(
            names = "--set",
            paramLabel = "RULES",
            description = "Replace its whole chain at once: 'RULE; RULE'. An empty text leaves no rule.")
    private @Nullable String set;

    @Option(names = "--sample", paramLabel = "N", description = "Log one event out of N; 1 logs every event.")
    private @Nullable Long sample;

    @Option(
            names = "--sample-interval",
            converter = TimeOrZero.class,
            paramLabel = "TIME",
            description = "Log at most one event in this time, such as 500us, 20ms or 1s; 0 logs every event.")
    private @Nullable TimeSpan interval;

    @Option(
            names = "--snap",
            paramLabel = "BYTES",
            description = "Keep the first BYTES of each packet, at most 4000; 0 keeps none.")
    private @Nullable ByteSize snap;

    @Option(
            names = "--counters",
            paramLabel = "NAMES",
            description = "After each event, log counters of its CPU: " + CounterSet.WANTED + ".")
    private @Nullable CounterSet counters;

    @Option(
            names = "--correlate",
            paramLabel = "DEFINITION",
            description = "Make a correlating filter, which stays until somebody removes it (" + ReadOn.DOCS
                    + "/control.md); with --buffer.")
    private @Nullable String correlate;

    @Option(
            names = "--buffer",
            paramLabel = "NAME",
            description = "With --correlate: the filter writes a record of what it finds to this buffer.")
    private @Nullable String buffer;

    @Option(names = "--remove-correlation", paramLabel = "ID", description = "Remove a correlating filter.")
    private @Nullable Long removeCorrelation;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

    private final World world;

    public FiltersCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check();
        try (MagnetControl control = world.control().open()) {
            if (subscription != null) {
                change(control, subscription);
            }
            if (removeCorrelation != null) {
                control.deleteCorrelation(removeCorrelation);
            }
            if (correlate != null && buffer != null) {
                CorrelationInfo made = control.correlate(correlate, buffer, Set.of(Flag.PERSISTENT));
                if (json) {
                    world.out().line(ModuleJson.filters(List.of(), List.of(), List.of(made)));
                } else {
                    printCorrelations(List.of(made));
                }
            } else if (removeCorrelation == null || subscription != null) {
                print(control);
            }
        }
        return ExitCode.OK;
    }

    private void check() {
        boolean changes = add != null || remove != null || !selection().equals(Selection.NONE);
        if (changes && subscription == null) {
            throw new ParameterException(spec.commandLine(), "a change needs --subscription ID");
        }
        checkId("--subscription", subscription);
        checkId("--before", before);
        checkId("--remove", remove);
        checkId("--remove-correlation", removeCorrelation);
        if (before != null && add == null) {
            throw new ParameterException(spec.commandLine(), "--before goes with --add");
        }
        if ((correlate == null) != (buffer == null)) {
            throw new ParameterException(spec.commandLine(), "--correlate DEFINITION and --buffer NAME go together");
        }
        if (sample != null && (sample < 0 || sample > Integer.MAX_VALUE)) {
            throw new ParameterException(
                    spec.commandLine(), "--sample N must be at least 0, at most " + Integer.MAX_VALUE);
        }
        if (snap != null && snap.bytes() > Selection.SNAP_BYTES_MOST) {
            throw new ParameterException(
                    spec.commandLine(), "--snap BYTES must be at most " + Selection.SNAP_BYTES_MOST);
        }
        if (interval != null && interval.duration().compareTo(LONGEST_INTERVAL) > 0) {
            throw new ParameterException(spec.commandLine(), "--sample-interval TIME must be at most 1h");
        }
    }

    private void checkId(String option, @Nullable Long id) {
        if (id != null && id < 1) {
            throw new ParameterException(spec.commandLine(), option + " ID must be at least 1");
        }
    }

    /** The one option that takes a time of 0. */
    static final class TimeOrZero implements CommandLine.ITypeConverter<TimeSpan> {
        @Override
        public TimeSpan convert(String text) {
            return TimeSpan.parse(text);
        }
    }

    private Selection selection() {
        Selection selection = set == null ? Selection.NONE : Selection.NONE.withRules(set);
        if (sample != null) {
            selection = selection.withSampleCount(sample);
        }
        if (interval != null) {
            selection = selection.withSampleIntervalUs(interval.micros());
        }
        if (snap != null) {
            selection = selection.withSnapBytes(snap.bytes());
        }
        return counters == null ? selection : selection.withCounters(counters.counters());
    }

    private void change(MagnetControl control, long id) throws IOException {
        RuleForm.check(Stream.of(set, add).filter(Objects::nonNull).toList());
        // A word that there is not, before anything is changed.
        String added = add == null ? "" : numbered(control, id, add);
        if (!selection().equals(Selection.NONE)) {
            Selection selection = selection();
            control.changeSubscription(id, set == null ? selection : selection.withRules(numbered(control, id, set)));
        }
        if (remove != null) {
            control.deleteRule(id, remove);
        }
        if (add != null) {
            control.addRule(id, added, before == null ? OptionalLong.empty() : OptionalLong.of(before));
        }
    }

    /** The kernel takes numbers; which words there are depends on the subscription's point. */
    private String numbered(MagnetControl control, long id, String rules) throws IOException {
        if (!RuleWords.mayBeIn(rules)) {
            return rules;
        }
        for (SubscriptionInfo each : control.subscriptions()) {
            if (each.id() == id) {
                return Formats.ruleWords(world, control, List.of(rules)).numbered(each.point(), rules);
            }
        }
        return rules;
    }

    private void print(MagnetControl control) throws IOException {
        List<SubscriptionInfo> subscriptions = control.subscriptions().stream()
                .filter(each -> isMeant(each.id()))
                .toList();
        List<ChainInfo> chains = control.chains().stream()
                .filter(each -> isMeant(each.subscription()))
                .toList();
        if (subscriptions.isEmpty() && subscription != null) {
            throw new Failure("there is no subscription " + subscription + " (\"magnet filters\" lists them)");
        }
        List<CorrelationInfo> correlations = subscription == null ? control.correlations() : List.of();
        if (json) {
            world.out().line(ModuleJson.filters(subscriptions, chains, correlations));
            return;
        }
        if (subscriptions.isEmpty()) {
            world.out().line("no subscriptions");
        } else {
            printSubscriptions(subscriptions);
            printRules(chains);
        }
        if (!correlations.isEmpty()) {
            world.out().line();
            printCorrelations(correlations);
        }
    }

    private void printCorrelations(List<CorrelationInfo> correlations) throws IOException {
        Table table = new Table(
                ">CORRELATION", "BUFFER", "OWNER", ">MATCHED", ">DROPPED", ">LOST BEFORE", ">FORGOTTEN", "DEFINITION");
        for (CorrelationInfo each : correlations) {
            table.row(
                    each.id(),
                    each.buffer(),
                    each.owner().isPresent() ? "port " + each.owner().getAsLong() : "persistent",
                    each.matched(),
                    each.dropped(),
                    each.lostBefore(),
                    each.forgotten(),
                    each.definition());
        }
        table.print(world.out(), world.columns());
    }

    private boolean isMeant(long id) {
        return subscription == null || subscription == id;
    }

    private void printSubscriptions(List<SubscriptionInfo> subscriptions) throws IOException {
        Table table = new Table(
                ">ID",
                "POINT",
                "BUFFER",
                ">SAMPLE",
                ">INTERVAL",
                ">SNAP",
                "COUNTERS",
                ">HITS",
                ">COMMITTED",
                ">FILTERED",
                ">SAMPLED");
        for (SubscriptionInfo each : subscriptions) {
            HitCounts total = each.total();
            table.row(
                    each.id(),
                    each.point(),
                    each.buffer(),
                    each.sampleCount() <= 1 ? NONE : "1/" + each.sampleCount(),
                    each.sampleIntervalUs() == 0 ? NONE : TimeSpan.ofMicros(each.sampleIntervalUs()),
                    each.snapBytes() == 0 ? NONE : each.snapBytes(),
                    counters(each),
                    total.hits(),
                    total.committed(),
                    total.filtered(),
                    total.sampledOut());
        }
        table.print(world.out(), world.columns());
    }

    private static String counters(SubscriptionInfo subscription) {
        return subscription.counters().isEmpty()
                ? NONE
                : subscription.counters().stream().sorted().map(Counter::label).collect(Collectors.joining(","));
    }

    private void printRules(List<ChainInfo> chains) throws IOException {
        world.out().line();
        if (chains.stream().allMatch(chain -> chain.rules().isEmpty())) {
            world.out().line("no rules");
            return;
        }
        Table table = new Table(">SUBSCRIPTION", ">RULE", ">MATCHED", "TEXT");
        for (ChainInfo chain : chains) {
            for (RuleInfo rule : chain.rules()) {
                table.row(chain.subscription(), rule.id(), rule.matched(), rule.text());
            }
        }
        table.print(world.out(), world.columns());
    }
}
