// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** Where jobs are in a hierarchy of cgroups. Stateless. */
public final class JobPaths {
    private JobPaths() {}

    /**
     * By job, sorted by name, the paths of its topmost cgroups: everything below these belongs to it, too.
     *
     * @param paths from the root of the hierarchy, parents before what is in them
     */
    public static NavigableMap<String, List<String>> of(JobNames names, Iterable<String> paths) {
        NavigableMap<String, List<String>> jobs = new TreeMap<>();
        Set<String> seen = new HashSet<>();
        for (String path : paths) {
            names.nameOf(path).ifPresent(name -> {
                seen.add(name + path);
                if (!isBelow(path, name, seen)) {
                    jobs.computeIfAbsent(name, any -> new ArrayList<>()).add(path);
                }
            });
        }
        return jobs;
    }

    private static boolean isBelow(String path, String name, Set<String> seen) {
        for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
            if (seen.contains(name + path.substring(0, end))) {
                return true;
            }
        }
        return false;
    }
}
