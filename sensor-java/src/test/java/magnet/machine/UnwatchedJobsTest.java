// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import magnet.job.JobNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnwatchedJobsTest {
    @TempDir
    private Path root;

    private Path processes;
    private int process = 100;

    @BeforeEach
    void make() throws IOException {
        processes = Files.createDirectories(root.resolve("proc"));
    }

    private void process(String cgroups) throws IOException {
        Path made = Files.createDirectories(processes.resolve(String.valueOf(process++)));
        Files.writeString(made.resolve("cgroup"), cgroups);
    }

    private void watch(String hierarchy) throws IOException {
        Path parameters = Files.createDirectories(root.resolve("sys/module/magnet/parameters"));
        Files.writeString(parameters.resolve("job_hierarchy"), hierarchy + "\n");
    }

    private Optional<String> found() throws IOException {
        return UnwatchedJobs.find(root, processes, JobNames.DEFAULTS::nameOf)
                .map(jobs -> jobs + ": " + jobs.parameter());
    }

    @Test
    void shouldFindNoneWhereThereIsTheUnifiedHierarchyOnly() throws IOException {
        process("0::/system.slice/slurmstepd.scope/job_1/step_0\n");
        process("0::/\n");
        Files.createDirectories(processes.resolve("7"));

        assertThat(found()).isEmpty();
    }

    @Test
    void shouldFindThoseThatSlurmPutsIntoVersion1() throws IOException {
        process("""
                9:freezer:/slurm/uid_1000/job_42/step_0
                3:pids:/system.slice/slurmd.service
                0::/system.slice/slurmd.service
                """);
        process("9:freezer:/\n3:pids:/system.slice/cron.service\n0::/system.slice/cron.service\n");

        assertThat(found())
                .contains("slurm:42 is in the version 1 hierarchy of freezer, and the module watches the unified"
                        + " hierarchy: job_hierarchy=freezer");
        process("9:freezer:/slurm/uid_1000/job_43/step_0\n0::/\n");
        assertThat(found())
                .hasValueSatisfying(text -> assertThat(text)
                        .startsWith("slurm:42 and 1 more job are in the version 1 hierarchy of freezer, "));
        watch("freezer");
        assertThat(found()).isEmpty();
    }

    @Test
    void shouldNameTheHierarchyThatKnowsMost() throws IOException {
        process("9:freezer:/slurm/uid_1000/job_42\n5:cpu,cpuacct:/\n4:memory:/slurm/uid_1000/job_42\n0::/\n");
        process("9:freezer:/\n5:cpu,cpuacct:/\n4:memory:/system.slice/cron.service\n0::/\n");

        assertThat(found())
                .contains("cron.service and 1 more job are in the version 1 hierarchy of memory, and the module watches"
                        + " the unified hierarchy: job_hierarchy=memory");
    }

    @Test
    void shouldMissNoUnitsWhereSomebodyHasChosenTheHierarchyOfABatchSystem() throws IOException {
        process("9:freezer:/\n4:memory:/system.slice/cron.service\n0::/\n");
        process("9:freezer:/\n4:memory:/user.slice/user-1000.slice/session-1.scope\n0::/\n");
        watch("freezer");
        assertThat(found()).isEmpty();

        process("9:freezer:/\n4:memory:/\n0::/docker/abc\n");
        assertThat(found())
                .contains("docker:abc is in the unified hierarchy, and the module watches the version 1 hierarchy of"
                        + " freezer: job_hierarchy=unified");
    }

    @Test
    void shouldNotProposeAHierarchyWithoutAController() throws IOException {
        process("1:name=systemd:/system.slice/cron.service\n0::/\n");

        assertThat(found()).isEmpty();
    }
}
