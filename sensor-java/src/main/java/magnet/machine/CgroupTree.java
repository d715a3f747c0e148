// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The cgroups of the hierarchy that the module watches as they are now, and who is in them. Stateless. */
public final class CgroupTree {
    private CgroupTree() {}

    /**
     * By path, from the root of the hierarchy, the ids of all cgroups, parents before what is in them; empty if the hierarchy
     * is not mounted. Leaves out what cannot be looked into: what has been removed meanwhile, and what somebody has nested deeper
     * than a path can be long.
     *
     * @param root of all files
     */
    public static Optional<Map<String, Long>> ids(Path root) throws IOException {
        return ids(root, CgroupHierarchy.watched(root));
    }

    /** The same of a hierarchy, whether the module watches it or not. */
    public static Optional<Map<String, Long>> ids(Path root, CgroupHierarchy hierarchy) throws IOException {
        Optional<Path> mount = hierarchy.mount(root);
        if (mount.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Long> ids = new LinkedHashMap<>();
        Path top = mount.get();
        Deque<Path> waiting = new ArrayDeque<>();
        ids.put("/", id(top));
        look(top, waiting);
        while (!waiting.isEmpty()) {
            Path folder = waiting.removeLast();
            try {
                ids.put("/" + top.relativize(folder), id(folder));
                look(folder, waiting);
            } catch (FileSystemException | DirectoryIteratorException e) {
                // Users may make and remove folders as they like: that must not end what an admin does.
            }
        }
        return Optional.of(ids);
    }

    private static Long id(Path folder) throws IOException {
        return (Long) Files.getAttribute(folder, "unix:ino");
    }

    private static void look(Path folder, Deque<Path> found) throws IOException {
        try (DirectoryStream<Path> inside =
                Files.newDirectoryStream(folder, each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))) {
            inside.forEach(found::add);
        }
    }

    /**
     * By process the id of the cgroup that it is in, of those that can be told.
     *
     * @param processes the folder with a folder for each process
     * @param root of all files
     * @param ids of cgroups by path
     */
    public static Map<Integer, Long> ofProcesses(Path processes, Path root, Map<String, Long> ids) throws IOException {
        CgroupHierarchy watched = CgroupHierarchy.watched(root);
        Map<Integer, Long> cgroups = new HashMap<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path folder : folders) {
                Long id = ids.get(watched.pathOf(CgroupHierarchy.places(folder)).orElse(""));
                if (id != null) {
                    cgroups.put(Integer.valueOf(folder.getFileName().toString()), id);
                }
            }
        }
        return cgroups;
    }
}
