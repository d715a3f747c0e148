// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what {@code magnet adapt} was told to run, never two at a time. What is due while another one runs waits; what has
 * changed back by the time that it could run is left out, and so is what would have followed it, so that commands of one
 * condition come in turn. For one thread.
 */
public final class AdaptCommands {
    private static final File NOTHING = new File("/dev/null");

    private record Due(String command, AdaptChange change) {}

    private final Consumer<String> tell;
    private final Consumer<Process> onStart;
    private final Map<AdaptRule, Due> due = new LinkedHashMap<>();
    private volatile @Nullable Due running;

    /**
     * @param tell gets lines for those who watch
     * @param onStart gets each process that is started; {@link #ended} has to be called when it has ended
     */
    AdaptCommands(Consumer<String> tell, Consumer<Process> onStart) {
        this.tell = tell;
        this.onStart = onStart;
    }

    /** A condition has changed. */
    void changed(AdaptRule rule, AdaptChange change) {
        Due before = due.remove(rule);
        if (before != null) {
            tell.accept("command '" + before.command() + "' was not run: " + change.condition()
                    + " has changed again while another command ran");
        }
        String command = rule.command(change.begins());
        if (command != null && (before == null || before.change().begins() == change.begins())) {
            due.put(rule, new Due(command, change));
        }
        runNext();
    }

    /** The command that ran has ended. */
    void ended(int exitCode) {
        Due ended = running;
        running = null;
        if (ended != null && exitCode != 0) {
            tell.accept("command '" + ended.command() + "' failed with exit code " + exitCode);
        }
        runNext();
    }

    /** Whether nothing runs, and nothing waits for it. */
    boolean areDone() {
        return running == null && due.isEmpty();
    }

    /** What is left undone when nobody waits any more. For any thread. */
    String left() {
        Due now = running;
        return now == null ? "measuring has not ended" : "command '" + now.command() + "' still runs";
    }

    private void runNext() {
        Iterator<Due> waiting = due.values().iterator();
        while (running == null && waiting.hasNext()) {
            Due next = waiting.next();
            waiting.remove();
            start(next);
        }
    }

    private void start(Due next) {
        // Its output goes to standard error: standard output has the changes, and nothing else.
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", "exec >&2; eval \"$1\"", "sh", next.command())
                .redirectInput(NOTHING)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        shell.environment().putAll(next.change().environment());
        try {
            running = next;
            onStart.accept(shell.start());
        } catch (IOException e) {
            running = null;
            tell.accept("command '" + next.command() + "' cannot be run: " + e.getMessage());
        }
    }
}
