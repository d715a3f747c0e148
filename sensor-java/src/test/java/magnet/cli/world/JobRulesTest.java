// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import magnet.trace.RuleException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobRulesTest {
    @TempDir
    private Path folder;

    private TestWorld world;
    private Path cgroups;

    @BeforeEach
    void make() throws IOException {
        world = new TestWorld(folder, new FakeModule());
        cgroups = world.root.resolve("sys/fs/cgroup");
        Files.createDirectories(cgroups);
        Files.createFile(cgroups.resolve("cgroup.controllers"));
    }

    private Object cgroup(String path) throws IOException {
        Path made = Files.createDirectories(cgroups.resolve(path));
        return Files.getAttribute(made, "unix:ino");
    }

    private List<String> resolve(String... rules) throws IOException {
        return JobRules.of(List.of(rules), world.world()).rules();
    }

    @Test
    void shouldAskForTheTopmostCgroupsOfAJob() throws IOException {
        Object job = cgroup("system.slice/slurmstepd.scope/job_4711");
        cgroup("system.slice/slurmstepd.scope/job_4711/step_0/user");
        Object cron = cgroup("system.slice/cron.service");
        Object user = cgroup("user.slice/user-1000.slice");
        cgroup("user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_4711");
        Object container = cgroup("system.slice/docker-abc.scope");

        assertThat(resolve("log if job == slurm:4711; drop", "drop if len < 7 and job in cron.service and cpu == 0"))
                .containsExactly(
                        "log if cgroup in " + job + "; drop",
                        "drop if len < 7 and cgroup in " + cron + " and cpu == 0");
        assertThat(resolve("drop if job == user:1000")).containsExactly("drop if cgroup in " + user);
        assertThat(resolve("drop if job == docker:abc")).containsExactly("drop if cgroup in " + container);
        assertThat(resolve("drop if job == slurm:4711,cron.service"))
                .containsExactly("drop if cgroup in " + job + "," + cron);
    }

    @Test
    void shouldLeaveOtherRulesAloneWithoutLookingForCgroups() throws IOException {
        Files.delete(cgroups.resolve("cgroup.controllers"));

        assertThat(resolve("drop if myjob == x", "log if job == 7,0x9", "drop if cgroup in /a"))
                .containsExactly("drop if myjob == x", "log if job == 7,0x9", "drop if cgroup in /a");
        assertThatThrownBy(() -> resolve("log if job == slurm:1"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("cgroups of version 2");
    }

    @Test
    void shouldSayWhichJobsThereAreWhenOneIsUnknown() throws IOException {
        assertThatThrownBy(() -> resolve("log if job == slurm:1"))
                .hasMessage("no cgroup here is the job 'slurm:1'; there is no job at all (see [jobs] in magnet.conf)");
        cgroup("system.slice/cron.service");
        cgroup("system.slice/slurmstepd.scope/job_2");

        assertThatThrownBy(() -> resolve("log if job == slurm:1"))
                .isInstanceOf(Failure.class)
                .hasMessage("no cgroup here is the job 'slurm:1'; there are: cron.service, slurm:2, slurmstepd.scope");
    }

    private void watchFreezer() throws IOException {
        Path parameters = Files.createDirectories(world.root.resolve("sys/module/magnet/parameters"));
        Files.writeString(parameters.resolve("job_hierarchy"), "freezer\n");
    }

    @Test
    void shouldAskForCgroupsOfTheHierarchyThatTheModuleWatches() throws IOException {
        cgroup("system.slice/slurmstepd.scope/job_42");
        Path mounted = world.root.resolve("mnt/freezer");
        Path job = Files.createDirectories(mounted.resolve("slurm/uid_1000/job_42/step_0"))
                .getParent();
        watchFreezer();
        assertThatThrownBy(() -> resolve("drop if job == slurm:42"))
                .isInstanceOf(Failure.class)
                .hasMessage("a rule can ask for a job only where the cgroups are mounted that the module's parameter"
                        + " job_hierarchy names; mount -t cgroup -o freezer mounts them");
        Files.createDirectories(world.processes.resolve("self"));
        Files.writeString(
                world.processes.resolve("self/mountinfo"), "36 33 0:30 / /mnt/freezer rw - cgroup none rw,freezer\n");

        assertThat(resolve("drop if job == slurm:42"))
                .containsExactly("drop if cgroup in " + Files.getAttribute(job, "unix:ino"));
    }

    @Test
    void shouldSayWhenAJobIsInAHierarchyThatTheModuleDoesNotWatch() throws IOException {
        cgroup("system.slice/slurmd.service");
        Path process = Files.createDirectories(world.processes.resolve("77"));
        Files.writeString(
                process.resolve("cgroup"), "9:freezer:/slurm/uid_0/job_42/step_0\n0::/system.slice/slurmd.service\n");

        assertThatThrownBy(() -> resolve("log if job == slurm:42"))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        "no cgroup here is the job 'slurm:42'; there are: slurmd.service; slurm:42 is in the version 1"
                                + " hierarchy of freezer, and the module watches the unified hierarchy: load it with"
                                + " job_hierarchy=freezer");
    }

    @Test
    void shouldRefuseWhatTheKernelCannotBeAsked() throws IOException {
        for (int i = 0; i < 33; i++) {
            cgroup("place" + i + "/docker/abc");
        }

        assertThatThrownBy(() -> resolve("drop if job != docker:abc"))
                .hasMessage("a rule asks for a job with ==, not with !=; for all others write"
                        + " 'drop if job == docker:abc'");
        assertThatThrownBy(() -> resolve("drop if job == docker:abc"))
                .hasMessageStartingWith("docker:abc has 33 cgroups side by side, and a rule takes 32; ");
    }

    @Test
    void shouldSayWhichJobIsMeantWhenOnlyItsNumberIsGiven() throws IOException {
        cgroup("system.slice/slurmstepd.scope/job_4711");
        JobRules rules = JobRules.of(List.of("drop if job == 4711"), world.world());

        assertThat(rules.rules()).containsExactly("drop if job == 4711");
        assertThatThrownBy(() -> rules.check("udp_sendmsg", null))
                .isInstanceOf(RuleException.class)
                .hasMessage("udp_sendmsg has no field job that could be a number; did you mean job == slurm:4711?");
        assertThatCode(() -> rules.check("their_point", null)).doesNotThrowAnyException();
        assertThatCode(() -> rules.check(
                        "their_point",
                        new EventFormat(
                                0x400,
                                "their_point",
                                8,
                                List.of(new EventField("job", "u64", 0)),
                                EventFormat.Tail.NONE)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() ->
                        JobRules.of(List.of("drop if job == 12"), world.world()).check("udp_sendmsg", null))
                .hasMessage("udp_sendmsg has no field job that could be a number; a job is KIND:NAME, such as"
                        + " slurm:4711, and there are: slurm:4711, slurmstepd.scope");
    }

    @Test
    void shouldRefuseWhatIsNoRuleBeforeItLooksForJobs() {
        assertThatThrownBy(() -> resolve("dorp if job == slurm:1"))
                .isInstanceOf(RuleException.class)
                .hasMessageStartingWith("a rule begins with log, drop, urgent");
    }
}
