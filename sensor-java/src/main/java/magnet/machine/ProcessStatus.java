// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code /proc/PID/status} says of a process.
 *
 * @param pid its number
 * @param parent its parent's
 * @param name its short name, each character a byte of it
 * @param state one letter: R runs, S and D sleep, T is stopped, Z has ended. Of a process whose first thread has ended, that of
 *     another thread: the file says Z, and the others go on
 * @param user number of its real user
 */
public record ProcessStatus(int pid, int parent, String name, char state, int user) {
    private static final char STOPPED = 'T';
    private static final char TRACED = 't';
    private static final char ZOMBIE = 'Z';
    private static final char DEAD = 'X';

    /**
     * Of one process; empty if it is not there any more, or this user may not look.
     *
     * @param processes the folder with a folder for each process
     */
    public static Optional<ProcessStatus> of(Path processes, int pid) {
        Path process = processes.resolve(Integer.toString(pid));
        Optional<ProcessStatus> status = in(process, pid);
        if (status.isEmpty() || !status.get().hasEnded()) {
            return status;
        }
        return status.map(ended -> ended.with(threadState(process, pid).orElse(ended.state)));
    }

    /** The state of one of the threads that have not ended. */
    private static Optional<Character> threadState(Path process, int pid) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                Optional<ProcessStatus> status = in(thread, pid).filter(each -> !each.hasEnded());
                if (status.isPresent()) {
                    return status.map(ProcessStatus::state);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return Optional.empty(); // all of them have ended
        }
        return Optional.empty();
    }

    private ProcessStatus with(char other) {
        return new ProcessStatus(pid, parent, name, other, user);
    }

    private static Optional<ProcessStatus> in(Path folder, int pid) {
        Map<String, String> fields = new HashMap<>();
        try {
            for (String line : Files.readAllLines(folder.resolve("status"), StandardCharsets.ISO_8859_1)) {
                int colon = line.indexOf(":\t");
                if (colon > 0) {
                    fields.putIfAbsent(line.substring(0, colon), line.substring(colon + 2));
                }
            }
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or is somebody else's
        }
        return parsed(pid, fields);
    }

    private static Optional<ProcessStatus> parsed(int pid, Map<String, String> fields) {
        String state = fields.getOrDefault("State", "");
        String user = fields.getOrDefault("Uid", "");
        if (state.isEmpty() || user.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ProcessStatus(
                pid,
                Integer.parseInt(fields.getOrDefault("PPid", "0")),
                fields.getOrDefault("Name", ""),
                state.charAt(0),
                Integer.parseInt(user.split("\t", 2)[0])));
    }

    /** Whether a signal or a debugger has stopped it. */
    public boolean isStopped() {
        return state == STOPPED || state == TRACED;
    }

    /** Whether it has ended, and only its parent does not know yet. */
    public boolean hasEnded() {
        return state == ZOMBIE || state == DEAD;
    }
}
