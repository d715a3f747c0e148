// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A cgroup: its files are read and written each time that somebody asks. One that has gone has no processes. Users may make cgroups
 * below their own as they like, so that nobody else may look into them, or deeper than a path can be long. What nobody can look into
 * seems to be empty, and ends nothing that an admin or another user does: {@link #hasUnseen}.
 *
 * @param path from the root of its hierarchy
 * @param folder where its files are
 */
public record Cgroup(String path, Path folder) {
    private static final String PROCESSES = "cgroup.procs";
    private static final String FREEZE = "cgroup.freeze";
    private static final String EVENTS = "cgroup.events";
    private static final String KILL = "cgroup.kill";
    /** Of version 1. */
    private static final String FREEZER_STATE = "freezer.state";

    /** Whether a path is its own, or that of one below it. */
    public boolean contains(String other) {
        return path.equals("/") || other.equals(path) || other.startsWith(path + "/");
    }

    /** The cgroups in it. */
    public List<Cgroup> children() throws IOException {
        List<Cgroup> children = new ArrayList<>();
        try (DirectoryStream<Path> inside =
                Files.newDirectoryStream(folder, each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))) {
            inside.forEach(
                    each -> children.add(new Cgroup((path.equals("/") ? "" : path) + "/" + each.getFileName(), each)));
        } catch (FileSystemException | DirectoryIteratorException e) {
            return children;
        }
        children.sort((one, other) -> one.path.compareTo(other.path));
        return children;
    }

    /** Whether there is something in it, or in those below, that this user cannot look at. */
    public boolean hasUnseen() throws IOException {
        for (Cgroup each : tree()) {
            if (!each.isSeen()) {
                return true;
            }
        }
        return false;
    }

    /** Or has gone. */
    private boolean isSeen() throws IOException {
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
            for (Path each : inside) {
                if (!isSeen(each)) {
                    return false;
                }
            }
        } catch (NoSuchFileException | NotDirectoryException | DirectoryIteratorException e) {
            return true;
        } catch (FileSystemException e) {
            return false;
        }
        return Files.isReadable(folder.resolve(PROCESSES)) || !isThere();
    }

    private static boolean isSeen(Path file) throws IOException {
        try {
            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (FileSystemException e) {
            return false;
        }
    }

    /** It and all below, parents first. */
    public List<Cgroup> tree() throws IOException {
        List<Cgroup> all = new ArrayList<>(List.of(this));
        for (int i = 0; i < all.size(); i++) {
            all.addAll(all.get(i).children());
        }
        return all;
    }

    /** The processes in it, and not those below. Of a threaded cgroup the one above has them. */
    public List<Integer> processes() throws IOException {
        return Files.exists(folder.resolve(PROCESSES)) && !isThreaded()
                ? lines(PROCESSES).stream()
                        .map(Integer::valueOf)
                        .filter(pid -> pid > 0) // 0 is in another pid namespace
                        .toList()
                : List.of();
    }

    /** The processes in it and below. */
    public List<Integer> allProcesses() throws IOException {
        List<Integer> all = new ArrayList<>();
        for (Cgroup each : tree()) {
            all.addAll(each.processes());
        }
        return all;
    }

    private boolean isThreaded() throws IOException {
        return lines("cgroup.type").contains("threaded");
    }

    /** CPU time of everybody who has been in it or below, in microseconds; empty if it is not counted here. */
    public OptionalLong cpuMicros() throws IOException {
        return field("cpu.stat", "usage_usec");
    }

    /** Bytes of memory in use; empty if they are not counted here. */
    public OptionalLong memoryBytes() throws IOException {
        return lines("memory.current").stream().mapToLong(Long::parseLong).findFirst();
    }

    /** Whether it is in the same hierarchy as another one. */
    public boolean isBeside(Cgroup other) {
        return mount().equals(other.mount());
    }

    /** Whether it is in the unified hierarchy. */
    public boolean isUnified() {
        return Files.exists(mount().resolve("cgroup.controllers"));
    }

    private Path mount() {
        return path.equals("/")
                ? folder
                : Path.of(folder.toString().substring(0, folder.toString().length() - path.length()));
    }

    /** Whether it has not been removed. */
    public boolean isThere() {
        return Files.exists(folder.resolve(PROCESSES));
    }

    /** Moves a process into it. */
    public void add(int process) throws IOException {
        write(PROCESSES, Integer.toString(process));
    }

    /** Whether it can be frozen: the root of the hierarchy cannot, nor can one of version 1. */
    public boolean hasFreezer() {
        return Files.exists(folder.resolve(FREEZE));
    }

    /** Whether the kernel kills what is in it. */
    public boolean hasKill() {
        return Files.exists(folder.resolve(KILL));
    }

    /** Whether the freezer holds all of its processes, in version 1, too; empty if it cannot be frozen. */
    public Optional<Boolean> isFrozen() throws IOException {
        OptionalLong frozen = field(EVENTS, "frozen");
        return frozen.isPresent()
                ? Optional.of(frozen.getAsLong() == 1)
                : lines(FREEZER_STATE).stream().findFirst().map("FROZEN"::equals);
    }

    /** Where whoever has frozen it lets it go on, if it is one of version 1. */
    public Path freezerState() {
        return folder.resolve(FREEZER_STATE);
    }

    /** Begins to freeze it, or to let it go on: {@link #isFrozen} says when it is done. */
    public void freeze(boolean frozen) throws IOException {
        write(FREEZE, frozen ? "1" : "0");
    }

    /** Kills all processes in it and below. */
    public void kill() throws IOException {
        write(KILL, "1");
    }

    private void write(String file, String value) throws IOException {
        Files.writeString(folder.resolve(file), value, StandardOpenOption.WRITE);
    }

    private OptionalLong field(String file, String name) throws IOException {
        return lines(file).stream()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .findFirst();
    }

    /** None if the file is not there, may not be read, or went while it was read. */
    private List<String> lines(String file) throws IOException {
        try {
            return Files.readAllLines(folder.resolve(file), StandardCharsets.US_ASCII);
        } catch (FileSystemException e) {
            return List.of();
        } catch (IOException e) {
            if (!Files.exists(folder)) {
                return List.of();
            }
            throw e;
        }
    }
}
