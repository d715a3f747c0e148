// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceOwners;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordedOwnersTest {
    private static final int FORK = 1;
    private static final int EXEC = 2;
    private static final int MOVE = 3;

    @TempDir
    private Path folder;

    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);
    private Path processes;
    private long job;
    private long other;

    @BeforeEach
    void make() throws IOException {
        processes = Files.createDirectories(folder.resolve("proc"));
        job = cgroup("a/job_1");
        other = cgroup("other");
        Files.createFile(folder.resolve("sys/fs/cgroup/cgroup.controllers"));
        process(7, "/a/job_1");
        process(8, "/other");
        process(9, "/a/job_1");
        process(10, "/gone (deleted)");
        process(11, "/a/job_1");
        Files.createDirectories(processes.resolve("12"));
    }

    private long cgroup(String path) throws IOException {
        Path made = Files.createDirectories(folder.resolve("sys/fs/cgroup").resolve(path));
        return (Long) Files.getAttribute(made, "unix:ino");
    }

    private void process(int process, String path) throws IOException {
        Path made = Files.createDirectories(processes.resolve(String.valueOf(process)));
        Files.writeString(made.resolve("cgroup"), "4:memory:/x\n0::" + path + "\n");
    }

    private void attach(RecordedOwners owners, int process, long cgroup, int how) {
        RecordWriter writer = new RecordWriter().record(EventType.TASK_ATTACH, 0, 1, 1, process, 0, cgroup, how);
        owners.onRecord(record.wrap(writer.buffer(), 0));
    }

    @Test
    void shouldSayWhereProcessesWereThatNoRecordTells() throws IOException {
        RecordedOwners owners = RecordedOwners.now(Set.of("task_attach"), processes, folder);
        attach(owners, 8, other, EXEC);
        attach(owners, 8, job, MOVE);
        attach(owners, 9, other, MOVE);
        attach(owners, 11, job, FORK);
        attach(owners, 13, other, EXEC);

        TraceOwners known = owners.take();
        assertThat(known.cgroups()).isEqualTo(Map.of(7, job, 8, other, 13, other));
        assertThat(known.paths())
                .containsEntry(job, "/a/job_1")
                .containsEntry(other, "/other")
                .containsValue("/");
        assertThat(known.companions()).containsExactly("task_attach");
    }

    @Test
    void shouldSayNothingThatALossMayHaveChanged() throws IOException {
        RecordedOwners owners = RecordedOwners.now(Set.of(), processes, folder);
        owners.onRecord(record.wrap(
                new RecordWriter().record(EventType.LOST, 0, 0, 0, 0, 1, 3).buffer(), 0));
        assertThat(owners.take().cgroups()).isEmpty();
        RecordedOwners gap = RecordedOwners.now(Set.of(), processes, folder);
        gap.onGap(0);
        assertThat(gap.take().cgroups()).isEmpty();
    }

    @Test
    void shouldKnowNobodyWhereTheHierarchyIsNotMounted() throws IOException {
        Files.delete(folder.resolve("sys/fs/cgroup/cgroup.controllers"));
        TraceOwners known = RecordedOwners.now(Set.of(), processes, folder).take();
        assertThat(known.cgroups()).isEmpty();
        assertThat(known.paths()).isEmpty();
    }
}
