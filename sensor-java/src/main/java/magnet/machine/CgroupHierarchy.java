// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A hierarchy of cgroups: the unified one (cgroup v2), or the one of version 1 that has a controller. The module watches one of
 * them. Immutable.
 *
 * @param name {@code unified}, or the controller, such as {@code freezer}
 */
public record CgroupHierarchy(String name) {
    /** The one that the module watches unless its parameter names another. */
    public static final CgroupHierarchy UNIFIED = new CgroupHierarchy("unified");

    private static final Path PARAMETER = Path.of("sys/module/magnet/parameters/job_hierarchy");
    private static final Path MOUNTS = Path.of("proc/self/mountinfo");
    private static final List<Path> UNIFIED_MOUNTS =
            List.of(Path.of("sys/fs/cgroup/unified"), Path.of("sys/fs/cgroup"));
    private static final Path UNIFIED_CONTROL = Path.of("cgroup.controllers");
    /** Of a line of mountinfo: the mounted folder, where it is mounted, the type of file system, and its options. */
    private static final Pattern MOUNT = Pattern.compile("\\S+ \\S+ \\S+ (\\S+) (\\S+) .*? - (\\S+) \\S+ (\\S+)");

    private static final Pattern OCTAL = Pattern.compile("\\\\([0-3][0-7]{2})");
    private static final int OCTAL_BASE = 8;
    /** Number, controllers, path. */
    private static final int FIELDS = 3;

    /**
     * Where a process is in one hierarchy.
     *
     * @param hierarchies the same hierarchy by each of its controllers; none if it has no controller
     * @param path from the root of the hierarchy
     */
    public record Place(List<CgroupHierarchy> hierarchies, String path) {
        public Place {
            hierarchies = List.copyOf(hierarchies);
        }
    }

    /**
     * The one that the loaded module watches. An older module, and none, watch the unified one.
     *
     * @param root of all files
     */
    public static CgroupHierarchy watched(Path root) throws IOException {
        try {
            return new CgroupHierarchy(Files.readString(root.resolve(PARAMETER)).strip());
        } catch (NoSuchFileException e) {
            return UNIFIED;
        }
    }

    /** Whether it is the unified one. */
    public boolean isUnified() {
        return equals(UNIFIED);
    }

    /**
     * Where its topmost folder is; empty if it is not mounted.
     *
     * @param root of all files
     */
    public Optional<Path> mount(Path root) throws IOException {
        if (isUnified()) {
            return UNIFIED_MOUNTS.stream()
                    .map(root::resolve)
                    .filter(mount -> Files.exists(mount.resolve(UNIFIED_CONTROL)))
                    .findFirst();
        }
        Path mounts = root.resolve(MOUNTS);
        if (!Files.exists(mounts)) {
            return Optional.empty();
        }
        return Files.readAllLines(mounts, StandardCharsets.ISO_8859_1).stream()
                .flatMap(line -> MOUNT.matcher(line).results())
                .filter(this::isWhole)
                .map(mount -> root.resolve(unescaped(mount.group(2)).substring(1)))
                .findFirst();
    }

    private boolean isWhole(MatchResult mount) {
        return mount.group(1).equals("/")
                && mount.group(3).equals("cgroup")
                && Arrays.asList(mount.group(4).split(",", -1)).contains(name);
    }

    private static String unescaped(String path) {
        return OCTAL.matcher(path)
                .replaceAll(octal -> String.valueOf((char) Integer.parseInt(octal.group(1), OCTAL_BASE))
                        .replace("\\", "\\\\"));
    }

    /** Where a process is in this hierarchy; empty if its file {@code cgroup} does not say it. */
    public Optional<String> pathOf(List<Place> places) {
        return places.stream()
                .filter(place -> place.hierarchies.contains(this))
                .map(Place::path)
                .findFirst();
    }

    /**
     * Where a process is in each hierarchy; empty if it has ended, or one of its cgroups has a name that is no text.
     *
     * @param process its folder in {@code /proc}
     */
    public static List<Place> places(Path process) {
        try {
            List<Place> places = new ArrayList<>();
            for (String line : Files.readAllLines(process.resolve("cgroup"), StandardCharsets.UTF_8)) {
                String[] fields = line.split(":", FIELDS);
                if (fields.length == FIELDS) {
                    places.add(new Place(hierarchies(fields[0], fields[1]), fields[2]));
                }
            }
            return places;
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<CgroupHierarchy> hierarchies(String number, String controllers) {
        if (number.equals("0") && controllers.isEmpty()) {
            return List.of(UNIFIED);
        }
        return Arrays.stream(controllers.split(",", -1))
                .filter(each -> !each.isEmpty() && !each.startsWith("name="))
                .map(CgroupHierarchy::new)
                .toList();
    }

    /** For people: behind the word in. */
    @Override
    public String toString() {
        return isUnified() ? "the unified hierarchy" : "the version 1 hierarchy of " + name;
    }
}
