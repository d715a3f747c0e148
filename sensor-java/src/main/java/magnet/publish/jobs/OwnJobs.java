// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** Which jobs are whose. For the server's thread. */
@FunctionalInterface
public interface OwnJobs {
    /**
     * The names of the jobs in which a user has a process now.
     *
     * @throws IOException if nobody can tell
     */
    Set<String> of(UserPrincipal user) throws IOException;
}
