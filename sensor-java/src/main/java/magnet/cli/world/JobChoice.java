// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What is said to somebody who names a job that is not there. Stateless. */
public final class JobChoice {
    private static final int JOBS_TOLD = 20;

    private JobChoice() {}

    /** The job that somebody means who gives its number, or its name, without its kind; "or" between several. */
    public static Optional<String> meant(String given, Collection<String> jobs) {
        List<String> named =
                jobs.stream().filter(name -> name.endsWith(":" + given)).toList();
        return named.isEmpty() ? Optional.empty() : Optional.of(String.join(" or ", named));
    }

    /** The jobs that there are, as the end of a line. */
    public static String known(Collection<String> jobs) {
        if (jobs.isEmpty()) {
            return "there is no job at all (see [jobs] in magnet.conf)";
        }
        int more = jobs.size() - JOBS_TOLD;
        String told = String.join(", ", jobs.stream().limit(JOBS_TOLD).toList());
        return "there are: " + told + (more > 0 ? " and " + more + " more" : "");
    }
}
