// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
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
     */
    public record Holder(long pid, String name, String file) {}

    private final Path root;

    public Processes(Path root) {
        this.root = root;
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
                holders.add(new Holder(pid(process), name, target));
            }
        } catch (IOException e) {
            // Closed meanwhile, or its process ended.
        }
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
