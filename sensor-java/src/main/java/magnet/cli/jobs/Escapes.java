// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import magnet.cli.world.Failure;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStat;
import magnet.os.FileReason;
import magnet.os.OsException;
import magnet.os.ProcessSignal;
import org.jspecify.annotations.Nullable;

/**
 * Looks for processes that are outside of their task's cgroup, and does with them what was asked for. It looks at what is so now,
 * and not at events: who was missed once is found the next time. For one thread.
 */
final class Escapes {
    /** Sends a signal, as {@link ProcessSignal#send} does. */
    @FunctionalInterface
    interface Killer {
        /** False if the process has ended. */
        boolean kill(int process, BooleanSupplier meant) throws OsException;
    }

    private final World world;
    private final Gtrace gtrace;
    private final Set<String> tasks;
    private final EscapeAction action;
    private final boolean json;
    private final Killer killer;
    private final TaskCgroups cgroups;
    /** Where nothing more is to be said. */
    private final Set<Escape> told = new HashSet<>();

    private long count;

    /** @param tasks names; all if there are none */
    Escapes(World world, Gtrace gtrace, Set<String> tasks, EscapeAction action, boolean json, Killer killer) {
        this.world = world;
        this.gtrace = gtrace;
        this.tasks = Set.copyOf(tasks);
        this.action = action;
        this.json = json;
        this.killer = killer;
        this.cgroups = new TaskCgroups(world.root());
    }

    /** How many processes something was done with, or told about. */
    long count() {
        return count;
    }

    /** Says which of the named tasks have not begun: a name may be misspelt. */
    void tellMissing() throws IOException {
        Set<String> missing = new TreeSet<>(tasks);
        gtrace.tasks().forEach(task -> missing.remove(task.name()));
        for (String name : missing) {
            world.tell("no task is called '" + VisibleText.of(name) + "' now; one that begins is kept");
        }
    }

    /** Looks once, at all processes of the tasks. */
    void look() throws IOException {
        Set<Escape> now = new HashSet<>();
        for (Escape escape : present()) {
            now.add(escape);
            if (!told.contains(escape)) {
                deal(escape);
            }
        }
        told.retainAll(now);
    }

    private List<Escape> present() throws IOException {
        List<Escape> present = new ArrayList<>();
        for (GtraceTask task : gtrace.tasks()) {
            Optional<Cgroup> home =
                    tasks.isEmpty() || tasks.contains(task.name()) ? cgroups.evenIfGone(task) : Optional.empty();
            for (GtraceTask.Node process : home.isPresent() ? task.processes() : List.<GtraceTask.Node>of()) {
                TaskCgroups.pathOf(world.processes(), process.pid())
                        .filter(place -> !home.get().contains(place))
                        .ifPresent(place -> present.add(new Escape(task.name(), process, home.get(), place)));
            }
        }
        return present;
    }

    private void deal(Escape escape) throws IOException {
        try {
            if (done(escape)) {
                count++;
                say(escape, null);
            }
        } catch (Failure e) {
            say(escape, String.valueOf(e.getMessage()));
            told.add(escape);
        }
        if (action == EscapeAction.TELL) {
            told.add(escape);
        }
    }

    /** False if the process has ended. */
    private boolean done(Escape escape) throws IOException {
        if (!isMeant(escape)) {
            return false;
        }
        return switch (action) {
            case RETURN -> isReturned(escape);
            case KILL -> isKilled(escape);
            case TELL -> true;
        };
    }

    /** The number may be another process's by now. */
    private boolean isMeant(Escape escape) {
        return ProcessStat.isOf(
                world.processes(), escape.process().pid(), escape.process().start());
    }

    private boolean isReturned(Escape escape) throws Failure {
        try {
            escape.home().add(escape.process().pid());
            return true;
        } catch (FileSystemException e) {
            throw new Failure(escape.home().folder() + ": " + FileReason.of(e));
        } catch (IOException e) {
            if (!isMeant(escape)) {
                return false;
            }
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    private boolean isKilled(Escape escape) throws Failure {
        try {
            return killer.kill(escape.process().pid(), () -> isMeant(escape));
        } catch (OsException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    private void say(Escape escape, @Nullable String error) throws IOException {
        if (json) {
            Map<String, Object> map = new LinkedHashMap<>(escape.json(action));
            if (error != null) {
                map.put("error", error);
            }
            world.out().line(Json.of(map));
            world.out().flush();
        } else if (error == null) {
            world.out().line(action.done() + " " + escape.text(action));
            world.out().flush();
        } else {
            world.tell("cannot " + action + " " + escape.text(action) + ": " + error);
        }
    }
}
