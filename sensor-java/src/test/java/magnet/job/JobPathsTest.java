// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobPathsTest {
    private static final String SLURM = "/system.slice/slurmstepd.scope";

    @Test
    void shouldTakeTheTopmostCgroupsOfAJobAlone() {
        assertThat(JobPaths.of(
                        JobNames.DEFAULTS,
                        List.of(
                                "/",
                                "/system.slice",
                                SLURM,
                                SLURM + "/job_7",
                                SLURM + "/job_7/step_0",
                                SLURM + "/job_7/step_0/user",
                                "/slurm",
                                "/slurm/uid_1",
                                "/slurm/uid_1/job_7",
                                "/other")))
                .isEqualTo(Map.of(
                        "slurmstepd.scope",
                        List.of(SLURM),
                        "slurm:7",
                        List.of(SLURM + "/job_7", "/slurm/uid_1/job_7")));
    }

    @Test
    void shouldCountWhatLiesBelowAStrangerOfTheSameJobOnce() {
        JobNames names = JobNames.none().with("a", "/{a}/**/x/**, /{a}").with("b", "/a/{b}");

        assertThat(JobPaths.of(names, List.of("/a", "/a/b", "/a/b/x"))).containsEntry("a:a", List.of("/a"));
    }
}
