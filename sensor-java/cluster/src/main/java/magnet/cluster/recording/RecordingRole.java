// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.config.RecordingProfile;
import magnet.cluster.wire.Id;
import magnet.cluster.wire.Message;
import magnet.cluster.wire.OrderSender;
import magnet.os.ClockQuality;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node does with orders about recordings: one at a time. An order that comes again changes nothing. For one thread, the
 * one that hears orders.
 */
public final class RecordingRole implements AutoCloseable {
    /** The text of a query that asks for the runs that lie on a node. */
    public static final String RUNS = "runs";

    /** Fields of answers. */
    public static final String STATE = "state";

    public static final String REASON = "reason";
    public static final String REFUSED = "refused";

    private static final Logger LOGGER = LoggerFactory.getLogger(RecordingRole.class);
    private static final Duration AHEAD_MOST = Duration.ofHours(1);
    private static final int RUNS_MOST = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ClusterConfig config;
    private final Machine machine;
    private final AgentHealth health;
    private @Nullable Recording recording;
    /** What was refused last: an order comes a few times. */
    private @Nullable Id refused;

    private Map<String, String> refusal = Map.of();
    private @Nullable AgentRunner runner;

    /** @param health hears of recordings that fail */
    public RecordingRole(ClusterConfig config, Machine machine, AgentHealth health) {
        this.config = config;
        this.machine = machine;
        this.health = health;
    }

    /** Goes on with what a restart has interrupted, and says of what is over meanwhile that it was. */
    public void goOn() {
        long now = machine.wallNs().getAsLong();
        for (RunFile each : runs()) {
            if (!each.progress().state().isActive()) {
                continue;
            }
            RecordingProfile profile = config.profiles().get(each.run().profile());
            if (each.progress().endNs() > now && profile != null && recording == null) {
                LOGGER.info("{} goes on", each.run().name());
                begin(Recording.goOn(each, profile, machine));
            } else {
                giveUp(each);
            }
        }
    }

    private void giveUp(RunFile each) {
        Progress failed = each.progress()
                .in(RecordingState.FAILED, "magnet-node was not running at its end; what is there was written before");
        try {
            RecordingProfile profile = config.profiles().get(each.run().profile());
            if (profile != null) {
                Path folder = profile.folder().resolve(each.run().name());
                new RunFile(each.run(), failed, each.writtenNs())
                        .write(RunFile.in(folder, machine.host()), machine.host());
            }
        } catch (IOException e) {
            LOGGER.warn("{}: {}", each.run().name(), e.getMessage());
        }
    }

    private void begin(Recording next) {
        recording = next;
        runner = AgentRunner.start(next, health);
    }

    /** An order to record. Returns the fields of the answer. */
    public Map<String, String> start(Message order) {
        StartText text = StartText.parse(order.text());
        Run run = new Run(
                order.run(),
                text.profile(),
                order.atNs() == 0 ? machine.wallNs().getAsLong() : order.atNs(),
                order.durationNs());
        Recording there = recording;
        if (there != null && there.run().id().equals(run.id())) {
            return status();
        }
        if (run.id().equals(refused)) {
            return refusal;
        }
        try {
            Optional<String> why = refusal(run, text);
            if (why.isPresent()) {
                return refused(run, why.get());
            }
            closeEnded();
            begin(new Recording(run, Objects.requireNonNull(config.profiles().get(text.profile())), machine));
        } catch (IOException e) {
            return refused(run, String.valueOf(e.getMessage()));
        }
        return status();
    }

    private Map<String, String> refused(Run run, String why) {
        LOGGER.warn("{} is refused: {}", run.name(), why);
        Map<String, String> fields = node();
        fields.put("run", run.name());
        fields.put(STATE, REFUSED);
        fields.put(REASON, why);
        refused = run.id();
        refusal = fields;
        return fields;
    }

    /** Why this node does not carry it out. */
    private Optional<String> refusal(Run run, StartText text) throws IOException {
        long now = machine.wallNs().getAsLong();
        RecordingProfile profile = config.profiles().get(text.profile());
        Recording there = recording;
        if (!config.records()) {
            return Optional.of("record = off in [cluster] of its magnet.conf");
        }
        if (profile == null) {
            return Optional.of("its magnet.conf has no [recording " + text.profile() + "]");
        }
        if (there != null && there.progress().state().isActive()) {
            return Optional.of("it is busy with " + there.run().name());
        }
        if (run.atNs() > now + AHEAD_MOST.toNanos()) {
            return Optional.of("the begin is more than an hour ahead");
        }
        if (run.durationNs() <= 0 || run.durationNs() > profile.longest().toNanos()) {
            return Optional.of("its [recording " + profile.name() + "] allows "
                    + profile.longest().toSeconds() + " s at most (longest)");
        }
        if (run.endNs() <= now) {
            return Optional.of("the end is over already");
        }
        return refusalOfMachine(profile, text);
    }

    private Optional<String> refusalOfMachine(RecordingProfile profile, StartText text) throws IOException {
        if (!text.allowsUnsynchronised() && !machine.clock().now().synchronised()) {
            return Optional.of("nobody disciplines its clock (adjtimex says unsynchronised);"
                    + " --allow-unsynchronised records all the same");
        }
        Files.createDirectories(profile.folder());
        if (Files.getFileStore(profile.folder()).getUsableSpace() < profile.minFree()) {
            return Optional.of(profile.folder() + ": less is free on its file system than is to stay so (min-free)");
        }
        // Says if there is no module, or no right to it.
        machine.control().open().close();
        return Optional.empty();
    }

    /** An order to end what is recorded: the run of this name, or whichever it is if the text is empty. */
    public Map<String, String> stop(Message order) {
        Recording there = recording;
        if (there != null
                && (order.text().isEmpty() || order.text().equals(there.run().name()))) {
            there.endAt(order.atNs() == 0 ? machine.wallNs().getAsLong() : order.atNs());
        }
        return status();
    }

    /** How this node is. */
    public Map<String, String> status() {
        Map<String, String> fields = node();
        Recording there = recording;
        if (there == null) {
            fields.put(STATE, config.records() ? "idle" : "off");
        } else {
            fields.put("run", there.run().name());
            fill(fields, there.progress());
        }
        clock(fields);
        return fields;
    }

    private Map<String, String> node() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(OrderSender.NODE, machine.host());
        return fields;
    }

    private static void fill(Map<String, String> fields, Progress progress) {
        fields.put(STATE, progress.state().label());
        if (!progress.reason().isEmpty()) {
            fields.put(REASON, progress.reason());
        }
        fields.put("events", Long.toString(progress.events()));
        fields.put("lost", Long.toString(progress.lost()));
        fields.put("bytes", Long.toString(progress.bytes()));
        fields.put("parts", Integer.toString(progress.parts()));
        fields.put("gaps", Integer.toString(progress.gaps().size()));
        fields.put("cpu_ms", Long.toString(progress.cpuNs() / NANOS_PER_MILLI));
    }

    private void clock(Map<String, String> fields) {
        try {
            ClockQuality clock = machine.clock().now();
            fields.put("clock", clock.synchronised() ? "synchronised" : "unsynchronised");
            fields.put("clock_max_error_us", Long.toString(clock.maxErrorUs()));
        } catch (IOException e) {
            fields.put("clock", "unknown");
        }
    }

    /** The newest runs that lie here: a field of each, named as the run, with its state, events and bytes. */
    public Map<String, String> list() {
        Map<String, String> fields = node();
        runs().stream()
                .sorted(Comparator.comparingLong((RunFile each) -> each.run().atNs())
                        .reversed())
                .limit(RUNS_MOST)
                .forEach(each -> fields.put(
                        each.run().name(),
                        each.progress().state().label() + " " + each.progress().events() + " "
                                + each.progress().bytes()));
        return fields;
    }

    private List<RunFile> runs() {
        Set<Path> folders = config.profiles().values().stream()
                .map(RecordingProfile::folder)
                .collect(Collectors.toSet());
        Map<String, RunFile> runs = new LinkedHashMap<>();
        for (Path folder : folders) {
            for (RunFile each : runs(folder)) {
                runs.put(each.run().name(), each);
            }
        }
        return new ArrayList<>(runs.values());
    }

    private List<RunFile> runs(Path folder) {
        List<RunFile> runs = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path run : all) {
                Path file = RunFile.in(run, machine.host());
                if (Files.exists(file)) {
                    runs.add(RunFile.read(file));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return runs;
        } catch (IOException e) {
            LOGGER.warn("{}: {}", folder, e.getMessage());
        }
        return runs;
    }

    private void closeEnded() {
        AgentRunner there = runner;
        if (there != null) {
            there.awaitEnd();
            health.forget(there);
        }
    }

    /** Ends: a recording that is under way goes on when the daemon comes back. */
    @Override
    public void close() {
        AgentRunner there = runner;
        if (there != null) {
            there.end();
            there.awaitEnd();
        }
    }
}
