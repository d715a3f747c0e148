// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The cgroups of the hierarchy that the module watches as they are now, and who is in them. Stateless. */
public final class CgroupTree {
    private CgroupTree() {}

    /**
     * By path, from the root of the hierarchy, the ids of all cgroups, parents before what is in them; empty if the hierarchy
     * is not mounted.
     *
     * @param root of all files
     */
    public static Optional<Map<String, Long>> ids(Path root) throws IOException {
        Optional<Path> mount = CgroupHierarchy.watched(root).mount(root);
        if (mount.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Long> ids = new LinkedHashMap<>();
        walk(mount.get(), "", ids);
        return Optional.of(ids);
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
