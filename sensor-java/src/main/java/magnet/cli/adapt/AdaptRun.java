// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import magnet.adapt.Adaptation;
import magnet.adapt.AdaptationListener;
import magnet.adapt.AdaptationPlan;
import magnet.adapt.Condition;
import magnet.adapt.Interval;
import magnet.adapt.Node;
import magnet.cli.world.Counted;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.World;
import magnet.job.JobNames;
import magnet.service.ExitCode;
import org.jspecify.annotations.Nullable;

/**
 * Prints when conditions begin and end, and runs the commands that belong to that, until there were enough changes, the
 * time is over, the user interrupts or the module goes. What happens in other threads comes into a queue, and is done in
 * that of {@link #run}. For one run.
 */
public final class AdaptRun implements AdaptationListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final World world;
    private final AdaptSaves saves;
    private final boolean json;
    private final long most;
    private final double seconds;
    private final Map<Condition, AdaptRule> rules = new LinkedHashMap<>();
    private final Map<Condition, Interval> holding = new LinkedHashMap<>();
    private final LinkedBlockingQueue<Runnable> happenings = new LinkedBlockingQueue<>();
    private final AtomicLong progress = new AtomicLong();
    private final AdaptCommands commands;
    private final AdaptLosses losses = new AdaptLosses(this::tell);
    private long changes;
    private boolean over;
    private boolean ending;
    private Output.@Nullable ClosedException closed;
    private int exitCode = ExitCode.OK.code();

    /**
     * @param rules the conditions, all different
     * @param saves saves flight recorders
     * @param json whether to print JSON
     * @param most changes to print
     * @param seconds longest time; infinite if it does not matter
     */
    AdaptRun(World world, List<AdaptRule> rules, AdaptSaves saves, boolean json, long most, double seconds) {
        this.world = world;
        this.saves = saves;
        this.json = json;
        this.most = most;
        this.seconds = seconds;
        rules.forEach(rule -> this.rules.put(rule.condition(), rule));
        this.commands = new AdaptCommands(this::tell, this::started);
    }

    /** Runs, and returns the exit code. */
    int run(AdaptationPlan plan) throws IOException {
        Node node = new Node(
                world.control(),
                world.buffers(),
                world.reading(),
                world.processes(),
                world.root().resolve("sys/class/net"),
                rules.keySet().stream().anyMatch(Condition::isOfJob) ? OwnerPoints.names(world) : JobNames.DEFAULTS,
                world.clock(),
                world.wall());
        saves.check();
        Adaptation adaptation = Adaptation.open(node, plan, this);
        try {
            world.interruption()
                    .onInterrupt(new Interruption.Ending(
                            () -> happenings.add(() -> over = true), progress::get, commands::left));
            tell("watching " + rules.keySet().stream().map(Condition::toString).collect(Collectors.joining(", ")));
            follow();
        } finally {
            adaptation.close();
            endAll();
        }
        if (closed != null) {
            throw closed;
        }
        tell(Counted.of(changes, "change") + "; " + losses.account());
        return exitCode;
    }

    private void follow() {
        long start = world.clock().nanos();
        while (!over) {
            double left = seconds * NANOS_PER_SECOND - (world.clock().nanos() - start);
            Runnable next = left > 0 ? next((long) Math.min(Long.MAX_VALUE, left)) : null;
            if (next == null) {
                return;
            }
            next.run();
        }
    }

    /** What a condition has switched on does not stay when nobody watches it any more. */
    private void endAll() {
        ending = true;
        for (Map.Entry<Condition, Interval> each : List.copyOf(holding.entrySet())) {
            changed(each.getKey(), false, each.getValue(), true);
        }
        while (!commands.areDone()) {
            Runnable next = next(Long.MAX_VALUE);
            if (next == null) {
                return;
            }
            next.run();
        }
    }

    private @Nullable Runnable next(long nanos) {
        try {
            return happenings.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private void changed(Condition condition, boolean begins, Interval interval, boolean stopped) {
        if (begins) {
            holding.put(condition, interval);
        } else {
            holding.remove(condition);
        }
        AdaptRule rule = Objects.requireNonNull(rules.get(condition));
        Optional<Path> trace = begins ? saves.save(rule) : Optional.empty();
        AdaptChange change = new AdaptChange(condition, begins, interval, stopped, trace);
        changes++;
        over |= changes >= most;
        print(change);
        commands.changed(rule, change);
    }

    /** Where nobody reads any more, that is the end; commands run all the same. */
    private void print(AdaptChange change) {
        try {
            world.out().line(json ? change.json() : change.text(world.zone().get()));
            world.out().flush();
        } catch (Output.ClosedException e) {
            closed = e;
            over = true;
        }
    }

    private void tell(String line) {
        try {
            world.tell(line);
        } catch (Output.ClosedException e) {
            // Nobody can be told: commands run all the same.
        }
    }

    private void started(Process process) {
        CompletableFuture<Void> unused = process.onExit()
                .thenAccept(ended -> happenings.add(() -> {
                    progress.incrementAndGet();
                    commands.ended(ended.exitValue());
                }));
    }

    @Override
    public void onChange(Condition condition, boolean holds, Interval interval) {
        happenings.add(() -> {
            // What comes when all conditions have ended with the command changes nothing any more.
            if (!ending) {
                changed(condition, holds, interval, false);
            }
        });
    }

    @Override
    public void onInterval(Interval interval) {
        happenings.add(() -> losses.measured(interval));
    }

    @Override
    public void onEnd(String why) {
        happenings.add(() -> {
            over = true;
            exitCode = ExitCode.MODULE_GONE.code();
            tell(why);
        });
    }
}
