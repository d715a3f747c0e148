// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cgroups of the unified hierarchy (cgroup v2) as they are now, and who is in them. Stateless. */
public final class CgroupTree {
    private static final List<Path> MOUNTS = List.of(Path.of("sys/fs/cgroup/unified"), Path.of("sys/fs/cgroup"));
    private static final Path CONTROL = Path.of("cgroup.controllers");
    /** What the line of the unified hierarchy in {@code /proc/PID/cgroup} begins with. */
    private static final String UNIFIED = "0::";

    private CgroupTree() {}

    /**
     * By path, from the root of the hierarchy, the ids of all cgroups, parents before what is in them; empty if the hierarchy
     * is not mounted.
     *
     * @param root of all files
     */
    public static Optional<Map<String, Long>> ids(Path root) throws IOException {
        for (Path mount : MOUNTS) {
            if (Files.exists(root.resolve(mount).resolve(CONTROL))) {
                Map<String, Long> ids = new LinkedHashMap<>();
                walk(root.resolve(mount), "", ids);
                return Optional.of(ids);
            }
        }
        return Optional.empty();
    }

    private static void walk(Path folder, String path, Map<String, Long> ids) throws IOException {
        try (DirectoryStream<Path> inside =
                Files.newDirectoryStream(folder, each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))) {
            ids.put(path.isEmpty() ? "/" : path, (Long) Files.getAttribute(folder, "unix:ino"));
            for (Path each : inside) {
                walk(each, path + "/" + each.getFileName(), ids);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // It has been removed meanwhile.
            return;
        }
    }

    /**
     * By process the id of the cgroup that it is in, of those that can be told.
     *
     * @param processes the folder with a folder for each process
     * @param ids of cgroups by path
     */
    public static Map<Integer, Long> ofProcesses(Path processes, Map<String, Long> ids) throws IOException {
        Map<Integer, Long> cgroups = new HashMap<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path folder : folders) {
                Long id = ids.get(path(folder));
                if (id != null) {
                    cgroups.put(Integer.valueOf(folder.getFileName().toString()), id);
                }
            }
        }
        return cgroups;
    }

    private static String path(Path process) {
        try {
            return Files.readString(process.resolve("cgroup"), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(UNIFIED))
                    .map(line -> line.substring(UNIFIED.length()))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            // It has ended, or its cgroup has a name that is no text.
            return "";
        }
    }
}
