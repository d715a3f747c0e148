// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import magnet.agent.AgentHealth;
import magnet.json.Json;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** By a real socket. It tells jobs and no metrics, so the kit of sinks, which looks for each metric, does not fit it. */
@Timeout(60)
class JobsSinkTest {
    private static final JobMetrics.Slot SLOT = JobMetrics.allSlots().get(0);

    @TempDir
    private Path folder;

    private final List<UserPrincipal> asked = new ArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private Path socket = Path.of("");
    private JobsSink sink;

    @BeforeEach
    void make() {
        socket = folder.resolve("run/jobs");
        sink = new JobsSink(socket, this::own, 5, now::get, AgentHealth.unheard());
    }

    @AfterEach
    void close() {
        sink.close();
    }

    private Set<String> own(UserPrincipal user) {
        asked.add(user);
        return Set.of("slurm:1", "slurm:3");
    }

    @Test
    void shouldTellAllJobsAtOneSocketAndAUsersOwnAtTheOther() throws IOException {
        sink.publish(snapshot());

        assertThat(Files.getPosixFilePermissions(socket)).isEqualTo(PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(Files.getPosixFilePermissions(JobsSection.all(socket)))
                .isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
        Map<String, Object> all = ask(JobsSection.all(socket), "jobs\n");
        assertThat(all).containsEntry("whose", "all").containsEntry("seconds", 25.0);
        assertThat(names(all)).containsExactly("slurm:1", "slurm:2", "slurm:3", "none");
        assertThat(job(all, 0))
                .containsEntry("cpu_percent", 43.5)
                .containsEntry("wait_percent", 58.9)
                .doesNotContainKey("wait_p99_us")
                .containsEntry(
                        "waited_for",
                        List.of(
                                Map.of("name", "slurm:2", "percent", 14.0),
                                Map.of("name", "none", "percent", 13.0),
                                Map.of("name", "cron.service", "percent", 12.0)));

        Map<String, Object> own = ask(socket, "jobs\n");
        assertThat(asked).containsExactly(Files.getOwner(folder));
        assertThat(own).containsEntry("whose", "own");
        assertThat(names(own)).containsExactly("slurm:1", "slurm:3");
        assertThat(job(own, 0))
                .containsEntry(
                        "waited_for",
                        List.of(Map.of("name", "others", "percent", 26.0), Map.of("name", "none", "percent", 13.0)));
        assertThat(own.toString()).doesNotContain("slurm:2", "cron.service");
    }

    @Test
    void shouldRefuseWhatIsNoRequest() throws IOException {
        sink.publish(snapshot());

        for (String request : List.of("tasks\n", "\n", "jobs jobs\n", "j".repeat(64), "x".repeat(1_000_000))) {
            assertThat(ask(socket, request)).isEqualTo(Map.of("error", "a request is the line 'jobs'"));
        }
        assertThat(asked).isEmpty();
        assertThat(ask(socket, "jobs\n")).containsKey("jobs");
    }

    @Test
    void shouldSayWhenThereIsNothingNew() throws IOException {
        sink.publish(snapshot());
        now.set(TimeUnit.SECONDS.toNanos(16));

        assertThat(ask(socket, "jobs\n"))
                .isEqualTo(Map.of("error", "nothing has been published for a while; try again"));
    }

    @Test
    void shouldSayWhenTheLevelHasNoJobs() throws IOException {
        sink.publish(MetricSnapshot.of(Instant.EPOCH, 25, List.of()).build());

        assertThat(ask(socket, "jobs\n")).isEqualTo(Map.of("error", "figures of jobs are not published at this level"));
    }

    @Test
    void shouldRefuseConnectionsOfAUserWhoHasManyAndNoOtherUser() throws IOException {
        sink.publish(snapshot());
        List<SocketChannel> idle = new ArrayList<>();
        try {
            for (int i = 0; i < JobsReception.CONNECTIONS_OF_USER; i++) {
                idle.add(connect(socket));
            }
            assertThat(ask(socket, "jobs\n")).isEqualTo(Map.of("error", "there are too many connections; try again"));
            assertThat(ask(JobsSection.all(socket), "jobs\n")).containsEntry("whose", "all");
            idle.remove(0).close();
            Map<String, Object> answer = ask(socket, "jobs\n");
            while (answer.containsKey("error")) {
                answer = ask(socket, "jobs\n");
            }
            assertThat(answer).containsEntry("whose", "own");
        } finally {
            for (SocketChannel each : idle) {
                each.close();
            }
        }
    }

    @Test
    void shouldSayWhereItCannotListenAndListenLater() throws IOException {
        Files.createDirectories(folder.resolve("run"));
        Files.writeString(socket, "a file");

        assertThatThrownBy(() -> sink.publish(snapshot()))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot tell figures of jobs at " + socket + ": there is a file that is no socket; end who"
                        + " listens there, or give another path as jobs-socket in [publish]");
        Files.delete(socket);
        sink.publish(snapshot());
        assertThat(ask(socket, "jobs\n")).containsKey("jobs");
        sink.close();
        assertThat(socket).doesNotExist();
    }

    private static SocketChannel connect(Path to) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(to));
    }

    private static Map<String, Object> ask(Path to, String request) throws IOException {
        try (SocketChannel channel = connect(to)) {
            try {
                channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException e) {
                // It was refused before all of it was written.
            }
            BufferedReader answer = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            return Json.object(answer.readLine());
        }
    }

    private static List<String> names(Map<String, Object> answer) {
        List<?> jobs = (List<?>) answer.get("jobs");
        return IntStream.range(0, jobs.size())
                .mapToObj(i -> (String) job(answer, i).get("job"))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> job(Map<String, Object> answer, int index) {
        return (Map<String, Object>) ((List<?>) answer.get("jobs")).get(index);
    }

    private static MetricSnapshot snapshot() {
        List<Metric> metrics = List.of(SLOT.of(JobColumn.CPU), SLOT.of(JobColumn.WAIT));
        return MetricSnapshot.of(Instant.EPOCH, 25, metrics)
                .putJobs(new JobTable(List.of(
                        row(
                                "slurm:1",
                                43.5,
                                58.9,
                                new JobTable.Cause("slurm:2", 14),
                                new JobTable.Cause("none", 13),
                                new JobTable.Cause("cron.service", 12)),
                        row("slurm:2", 20, 0),
                        row("slurm:3", 1, 0),
                        row("none", 7, 0))))
                .build();
    }

    private static JobTable.Row row(String name, double cpu, double wait, JobTable.Cause... causes) {
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.CPU.index()] = cpu;
        values[JobColumn.WAIT.index()] = wait;
        return new JobTable.Row(name, values, List.of(causes));
    }
}
