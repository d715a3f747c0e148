// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.job.JobNames;
import magnet.testing.CgroupFolders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobCgroupsTest {
    private static final String JOB = "/system.slice/slurmstepd.scope/job_7";

    @TempDir
    private Path root;

    @Test
    void shouldHaveTheProcessesOfAllCgroupsBelow() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        folders.withFreezer(folders.group(JOB, 11), 1_500_000, 4096);
        folders.group(JOB + "/step_0", 12, 13);
        Path threaded = folders.group(JOB + "/step_0/threads", 12);
        Files.writeString(threaded.resolve("cgroup.type"), "threaded\n");

        Cgroup job = JobCgroups.present(JobNames.DEFAULTS, root).get("slurm:7").get(0);

        assertThat(job.path()).isEqualTo(JOB);
        assertThat(job.allProcesses()).containsExactly(11, 12, 13);
        assertThat(job.cpuMicros()).hasValue(1_500_000);
        assertThat(job.memoryBytes()).hasValue(4096);
        assertThat(job.isFrozen()).hasValue(false);
    }

    @Test
    void shouldHaveNothingOfACgroupThatHasGone() throws IOException {
        Cgroup gone = new Cgroup("/gone", root.resolve("gone"));

        assertThat(gone.allProcesses()).isEmpty();
        assertThat(gone.cpuMicros()).isEmpty();
        assertThat(gone.isFrozen()).isEmpty();
    }

    /** Root looks into everything, but not at what has no path that the kernel takes. */
    @Test
    void shouldGoOnWhereAUserHasHiddenCgroups(@TempDir Path other) throws Exception {
        CgroupFolders folders = CgroupFolders.unified(root);
        folders.group(JOB, 11);
        Cgroup job = JobCgroups.present(JobNames.DEFAULTS, root).get("slurm:7").get(0);
        assertThat(job.hasUnseen()).isFalse();

        String deep = "/" + "d".repeat(200);
        Path upper = folders.group(JOB + deep.repeat(15), 12);
        folders.group("/lower" + deep.repeat(15), 13);
        Files.move(root.resolve("sys/fs/cgroup/lower"), upper.resolve("lower"));
        try {
            assertThat(job.allProcesses()).containsExactly(11, 12);
            assertThat(job.hasUnseen()).isTrue();
        } finally {
            Files.move(upper.resolve("lower"), other.resolve("lower")); // JUnit follows no path that is too long
        }
        assertThat(job.hasUnseen()).isFalse();
    }

    @Test
    void shouldFindJobsOfVersionOneThatTheUnifiedHierarchyDoesNotHave() throws IOException {
        CgroupFolders unified = CgroupFolders.unified(root.resolve("a"));
        unified.withFreezer(unified.group("/freezer"), 0, 0);
        unified.group("/freezer/slurm/uid_1/job_1", 1);
        assertThat(JobCgroups.present(JobNames.DEFAULTS, root.resolve("a")))
                .as("a cgroup that has a hierarchy's name")
                .isEmpty();

        Path old = root.resolve("b");
        CgroupFolders.versionOne(old, "freezer").group("/slurm/uid_1/job_1", 7);
        CgroupFolders.versionOne(old, "memory").group("/slurm/uid_1/job_1", 7);
        Cgroup job = JobCgroups.present(JobNames.DEFAULTS, old).get("slurm:1").get(0);

        assertThat(job.folder()).isEqualTo(old.resolve("sys/fs/cgroup/freezer/slurm/uid_1/job_1"));
        assertThat(job.allProcesses()).containsExactly(7);
        assertThat(job.hasFreezer()).isFalse();
        assertThat(job.hasKill()).isFalse();
    }

    @Test
    void shouldSayWhichJobsAreAUsersAndLookOnceASecondAtMost() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        folders.group(JOB, 11);
        folders.process(11, 1, "sleep", 'S', 1000);
        AtomicLong now = new AtomicLong();
        UsersJobs jobs = new UsersJobs(JobNames.DEFAULTS, root, now::get);

        assertThat(jobs.of(Files.getOwner(root))).isEqualTo(Set.of("slurm:7", "slurmstepd.scope"));
        folders.group(JOB);
        assertThat(jobs.of(Files.getOwner(root))).contains("slurm:7");
        now.set(TimeUnit.SECONDS.toNanos(1));
        assertThat(jobs.of(Files.getOwner(root))).isEmpty();
        assertThat(jobs.of(root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("987654")))
                .isEmpty();
    }
}
