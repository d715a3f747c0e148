// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import magnet.machine.Cgroup;
import magnet.machine.CgroupHierarchy;
import magnet.machine.ServiceProcess;
import magnet.os.ThreadComm;

/** Looks for processes in {@code /proc}. What this user may not look into is passed over. */
public final class Processes {
    /**
     * A process that has one of the module's files open.
     *
     * @param pid its id
     * @param name its short name, each character a byte of it
     * @param file the file
     * @param stopped whether it cannot do anything about it: a signal, a debugger or a frozen control group stopped it
     */
    public record Holder(long pid, String name, String file, boolean stopped) {
        private static final Pattern DATA = Pattern.compile("/dev/magnet/[^/]+/.*|.*/debug/magnet/data/.*");

        /** Whether it closes the file when its buffer goes, as far as anybody can tell: it gets to the file's end then. */
        public boolean mayEnd() {
            return !stopped && DATA.matcher(file).matches();
        }
    }

    /** The field behind a process' name, which may have any letters, in {@code stat}: stopped by a signal or a debugger. */
    private static final Pattern STOPPED = Pattern.compile("(?s).*\\) [Tt] [-\\d\\s]*");

    private final Path root;
    private final Path controlGroups;

    /** Where it does not matter who is frozen. */
    public Processes(Path root) {
        this(root, Path.of("/sys/fs/cgroup"));
    }

    /**
     * @param root the folder with a folder for each process
     * @param controlGroups the folder of the topmost control group
     */
    public Processes(Path root, Path controlGroups) {
        this.root = root;
        this.controlGroups = controlGroups;
    }

    /** The process of the service, if it runs. */
    public OptionalLong service() throws IOException {
        return ServiceProcess.find(root);
    }

    /** Everybody else who has a file of the module open; this process may have inherited one. */
    public List<Holder> holders() throws IOException {
        List<Holder> holders = new ArrayList<>();
        for (Path process : all()) {
            if (pid(process) == ProcessHandle.current().pid()) {
                continue;
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
                for (Path file : files) {
                    addHolder(holders, process, file);
                }
            } catch (IOException e) {
                // It ended meanwhile, or belongs to somebody else.
            }
        }
        return holders;
    }

    private void addHolder(List<Holder> holders, Path process, Path file) {
        try {
            String target = Files.readSymbolicLink(file).toString();
            boolean ours = target.startsWith("/dev/magnet/") || target.contains("/debug/magnet/");
            if (ours && Files.exists(process.resolve("comm"))) {
                String name = ThreadComm.of(root, (int) pid(process));
                holders.add(new Holder(pid(process), name, target, isStopped(process)));
            }
        } catch (IOException e) {
            // Closed meanwhile, or its process ended.
        }
    }

    private boolean isStopped(Path process) throws IOException {
        Path stat = process.resolve("stat");
        boolean byItself = Files.exists(stat)
                && STOPPED.matcher(Files.readString(stat, StandardCharsets.ISO_8859_1))
                        .matches();
        return byItself || isFrozen(process);
    }

    /** Of control groups version 2: those of version 1 do not say it of a process. */
    private boolean isFrozen(Path process) throws IOException {
        Optional<String> path = CgroupHierarchy.UNIFIED.pathOf(CgroupHierarchy.places(process));
        return path.isPresent()
                && new Cgroup(path.get(), controlGroups.resolve(path.get().substring(1)))
                        .isFrozen()
                        .orElse(false);
    }

    private List<Path> all() throws IOException {
        List<Path> processes = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, "[0-9]*")) {
            folders.forEach(processes::add);
        }
        return processes;
    }

    private static long pid(Path process) {
        return Long.parseLong(process.getFileName().toString());
    }
}
