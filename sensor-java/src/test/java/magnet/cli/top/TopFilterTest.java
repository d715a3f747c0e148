// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import magnet.job.JobNames;
import magnet.summary.ProcessRanking.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopFilterTest {
    private static final Row SERVER = new Row(70, "server-1", 1, 1, 1);

    @TempDir
    private Path proc;

    private boolean keeps(TopFilter filter) {
        return filter.keeps(SERVER, proc);
    }

    private boolean isInJob(String job) {
        return keeps(new TopFilter(Set.of(), "", job, JobNames.DEFAULTS));
    }

    @Test
    void shouldKeepEverybodyWhenNobodyIsAskedFor() {
        assertThat(keeps(TopFilter.NONE)).isTrue();
        assertThat(TopFilter.NONE.isNone()).isTrue();
        assertThat(TopFilter.NONE.description()).isEmpty();
    }

    @Test
    void shouldKeepByProcessAndName() {
        assertThat(keeps(new TopFilter(Set.of(70, 71), "", "", JobNames.DEFAULTS)))
                .isTrue();
        assertThat(keeps(new TopFilter(Set.of(7), "", "", JobNames.DEFAULTS))).isFalse();
        assertThat(keeps(TopFilter.NONE.named("rver"))).isTrue();
        assertThat(keeps(new TopFilter(Set.of(70), "client", "", JobNames.DEFAULTS)))
                .isFalse();
    }

    @Test
    void shouldKeepByControlGroup() throws IOException {
        Path process = Files.createDirectories(proc.resolve("70"));
        Files.writeString(process.resolve("cgroup"), "4:cpu,cpuacct:/batch/job:17\n0::/system.slice/ssh.service\n");

        assertThat(isInJob("ssh.service")).isTrue();
        assertThat(isInJob("system.slice")).isTrue();
        assertThat(isInJob("/system.slice/ssh.service")).isTrue();
        assertThat(isInJob("job:17")).isTrue();
        assertThat(isInJob("ssh")).isFalse();
        assertThat(isInJob("/system.slice")).isFalse();
    }

    @Test
    void shouldLeaveOutWhoHasEnded() {
        assertThat(isInJob("ssh.service")).isFalse();
        assertThat(new TopFilter(Set.of(), "", "ssh.service", JobNames.DEFAULTS).description())
                .hasValueSatisfying(text -> assertThat(text).contains("still there"));
    }
}
