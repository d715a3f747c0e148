// SPDX-License-Identifier: Apache-2.0
package magnet.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Cgroups and processes as the kernel shows them, in a folder that stands for the root of all files. */
public final class CgroupFolders {
    private final Path root;
    private final Path mount;

    /** The unified hierarchy, empty. */
    public static CgroupFolders unified(Path root) throws IOException {
        CgroupFolders folders = new CgroupFolders(root, root.resolve("sys/fs/cgroup"));
        Files.createDirectories(folders.mount);
        Files.writeString(folders.mount.resolve("cgroup.controllers"), "cpu memory\n");
        Files.writeString(folders.mount.resolve("cgroup.procs"), "");
        return folders;
    }

    /** A hierarchy of version 1, empty. */
    public static CgroupFolders versionOne(Path root, String controller) throws IOException {
        CgroupFolders folders =
                new CgroupFolders(root, root.resolve("sys/fs/cgroup").resolve(controller));
        Files.createDirectories(folders.mount);
        Files.writeString(folders.mount.resolve("cgroup.procs"), "");
        return folders;
    }

    private CgroupFolders(Path root, Path mount) {
        this.root = root;
        this.mount = mount;
    }

    /** A cgroup with its processes; those above it are made, too. */
    public Path group(String path, int... pids) throws IOException {
        Path folder = mount;
        for (String name : path.substring(1).split("/", -1)) {
            folder = folder.resolve(name);
            if (!Files.exists(folder)) {
                Files.createDirectory(folder);
                Files.writeString(folder.resolve("cgroup.procs"), "");
            }
        }
        Files.writeString(
                folder.resolve("cgroup.procs"),
                Arrays.stream(pids).mapToObj(pid -> pid + "\n").collect(Collectors.joining()));
        return folder;
    }

    /** Lets a cgroup of version 2 have what all of them have but the root. */
    public void withFreezer(Path group, long cpuMicros, long memoryBytes) throws IOException {
        Files.writeString(group.resolve("cgroup.controllers"), "");
        Files.writeString(group.resolve("cgroup.type"), "domain\n");
        Files.writeString(group.resolve("cgroup.freeze"), "0\n");
        Files.writeString(group.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
        Files.writeString(group.resolve("cgroup.kill"), "");
        Files.writeString(group.resolve("cpu.stat"), "usage_usec " + cpuMicros + "\nuser_usec 1\n");
        Files.writeString(group.resolve("memory.current"), memoryBytes + "\n");
    }

    /** A process. */
    public void process(int pid, int parent, String name, char state, int user) throws IOException {
        Path folder = Files.createDirectories(root.resolve("proc").resolve(Integer.toString(pid)));
        Files.writeString(
                folder.resolve("status"),
                "Name:\t%s\nState:\t%s (what)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t%d\t%d\t%d\t%d\n"
                        .formatted(name, state, pid, pid, parent, user, user, user, user));
    }
}
