// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import magnet.metric.MetricSnapshot;
import magnet.publish.server.Ports;
import magnet.publish.server.Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two sockets: at one all users of the node ask for their own jobs, at the other root and the service's group ask for all. Who
 * may connect to the second the kernel decides by the file's mode. For one server.
 */
final class JobsProtocol implements Protocol {
    private static final Logger LOGGER = LoggerFactory.getLogger(JobsProtocol.class);
    private static final String FOR_ALL_USERS = "rw-rw-rw-";
    private static final String FOR_GROUP = "rw-rw----";
    private static final String FOLDER = "rwxr-xr-x";
    private static final String NOTHING_NEW = "nothing has been published for a while; try again";

    private final Path socket;
    private final Supplier<Optional<MetricSnapshot>> newest;
    private final OwnJobs own;

    /**
     * @param socket where users ask for their own jobs
     * @param newest what was published last; empty if that is too old
     */
    JobsProtocol(Path socket, Supplier<Optional<MetricSnapshot>> newest, OwnJobs own) {
        this.socket = socket;
        this.newest = newest;
        this.own = own;
    }

    @Override
    public String name() {
        return "jobs";
    }

    @Override
    public void start(Ports ports) throws IOException {
        makeFolder();
        ports.listen(socket, FOR_ALL_USERS, new JobsReception(told(this::own)));
        ports.listen(
                JobsSection.all(socket),
                FOR_GROUP,
                new JobsReception(told((snapshot, user) -> JobsAnswer.all(snapshot))));
    }

    /** Packages make it; whoever runs magnetd without them may have none. */
    private void makeFolder() throws IOException {
        Path folder = socket.getParent();
        if (folder != null && !Files.exists(folder)) {
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(FOLDER));
        }
    }

    /** Makes an answer of a snapshot. */
    @FunctionalInterface
    private interface Telling {
        String tell(MetricSnapshot snapshot, UserPrincipal user);
    }

    private Function<UserPrincipal, String> told(Telling telling) {
        return user -> newest.get()
                .map(snapshot -> telling.tell(snapshot, user))
                .orElseGet(() -> JobsAnswer.error(NOTHING_NEW));
    }

    private String own(MetricSnapshot snapshot, UserPrincipal user) {
        try {
            return JobsAnswer.own(snapshot, own.of(user));
        } catch (IOException e) {
            LOGGER.debug("jobs: nobody can tell whose they are", e);
            return JobsAnswer.error("magnetd cannot tell whose the jobs are: " + e.getMessage());
        }
    }

    @Override
    public long work(long nowNanos) {
        return Long.MAX_VALUE;
    }
}
