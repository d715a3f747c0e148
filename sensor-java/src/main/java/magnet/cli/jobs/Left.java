// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.util.Collection;
import java.util.stream.Collectors;

/** Processes that are left, for the end of a line. Stateless. */
final class Left {
    private static final int TOLD = 10;

    private Left() {}

    /** Their numbers, up to {@value #TOLD} of them. */
    static String of(Collection<Integer> processes) {
        String numbers = processes.stream().limit(TOLD).map(String::valueOf).collect(Collectors.joining(", "));
        int more = processes.size() - TOLD;
        return numbers + (more > 0 ? " and " + more + " more" : "");
    }
}
