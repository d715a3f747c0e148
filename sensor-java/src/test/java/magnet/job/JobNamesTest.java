// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobNamesTest {
    private static final String ID = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    @ParameterizedTest
    @CsvSource({
        "/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0, slurm:4711",
        "/system.slice/slurmstepd.scope/job_4711/step_batch/slurm, slurm:4711",
        "/system.slice/slurmstepd.scope/job_4711, slurm:4711",
        "/system.slice/node7_slurmstepd.scope/job_12/step_extern/user/task_special, slurm:12",
        "/system.slice/node7_slurmstepd.scope/job_12/step_batch/slurm, slurm:12",
        "/system.slice/node7_slurmstepd.scope/slurmd, node7_slurmstepd.scope",
        "/batch.slice/slurmstepd.scope/job_12/step_0/user/task_0, slurm:12",
        "/system.slice/slurmstepd.scope/sAB3DEFGH1JK2M/step_0/user/task_0, slurm:sAB3DEFGH1JK2M",
        "/slurm/uid_1000/job_42/step_0, slurm:42",
        "/slurm_node7/uid_1000/job_42/step_0/task_1, slurm:42",
        "/system.slice/slurmstepd.scope/system, slurmstepd.scope",
        "/system.slice/slurmd.service, slurmd.service",
        "/pbspro.service/jobid/12.server, pbs:12.server",
        "/pbs_jobs.service/jobid/12.server/sub, pbs:12.server",
        "/pbs_jobs.service/jobs/2404743.opbs, pbs:2404743.opbs",
        "/pbs_jobs.service/jobid/7[1].head, pbs:7[1].head",
        "/torque/12.server/R0.t0, torque:12.server",
        "/torque, ''",
        "/kubepods.slice/kubepods-burstable.slice, ''",
        "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c3d4e_0001_4aaa_8bbb_00000000cafe.slice/"
                + "cri-containerd-0123.scope, pod:1b2c3d4e-0001-4aaa-8bbb-00000000cafe",
        "/kubepods.slice/kubepods-pod1b2c3d4e_0001_4aaa_8bbb_00000000cafe.slice, pod:1b2c3d4e-0001-4aaa-8bbb-00000000cafe",
        "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-podab.slice/x, "
                + "pod:ab",
        "/kubepods/burstable/pod1b2c3d4e-0001-4aaa-8bbb-00000000cafe/0123, pod:1b2c3d4e-0001-4aaa-8bbb-00000000cafe",
        "/kubepods/poda1/0123, pod:a1",
        "/system.slice/docker-" + ID + ".scope, docker:0123456789ab",
        "/system.slice/docker.service, docker.service",
        "/docker/" + ID + "/init, docker:0123456789ab",
        "/batch.slice/batch-night.slice/docker-" + ID + ".scope/init, docker:0123456789ab",
        "/batch/docker/" + ID + ", docker:0123456789ab",
        "/batch/night/docker/" + ID + "/init, docker:0123456789ab",
        "/batch/kubepods/burstable/poda1/0123, pod:a1",
        "/batch/night/kubepods/besteffort/poda1/0123, pod:a1",
        "/batch.slice/batch-night.slice/node7_slurmstepd.scope/job_12/step_0, slurm:12",
        "/batch.slice/batchd.service/child, batchd.service",
        "/system.slice/pbs_jobs.service/jobid/12.server, pbs:12.server",
        "/machine.slice/libpod-" + ID + ".scope/container, podman:0123456789ab",
        "/machine.slice/libpod-conmon-" + ID + ".scope, podman:0123456789ab",
        "/libpod_parent/libpod-" + ID + ", podman:0123456789ab",
        "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + ID + ".scope, user:1000",
        "/system.slice/crio-" + ID + ".scope, container:0123456789ab",
        "/lxc.payload.web1/system.slice/cron.service, lxc:web1",
        "/lxc/web1, lxc:web1",
        "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/vcpu0, machine:qemu-1-vm",
        "/machine.slice/systemd-nspawn@deb.service/payload, systemd-nspawn@deb.service",
        "/user.slice/user-1000.slice/session-3.scope, user:1000",
        "/user.slice/user-0.slice/user@0.service/init.scope, user:0",
        "/user.slice, ''",
        "/magnet.slice/gang-burn, gang:burn",
        "/magnet.slice/gang-burn/inner, gang:burn",
        "/magnet.slice, ''",
        "/system.slice/cron.service, cron.service",
        "/system.slice/system-getty.slice/getty@tty1.service, getty@tty1.service",
        "/system.slice/system-postgresql.slice/postgresql@15\\x2dmain.service/child, postgresql@15-main.service",
        "/init.scope, init.scope",
        "/system.slice, ''",
        "/, ''",
        "/other/place, ''",
        "'', ''",
        "/docker/, ''",
    })
    void shouldNameAJobWhenItsPathFits(String path, String name) {
        assertThat(JobNames.DEFAULTS.nameOf(path).orElse("")).isEqualTo(name);
    }

    /** Folders that a job can make below its own, in each place that is another's. */
    @ParameterizedTest
    @CsvSource({
        "/user.slice/user-1000.slice/user@1000.service, user:1000",
        "/user.slice/user-1000.slice/user@1000.service/app.slice, user:1000",
        "/user.slice/user-1000.slice/session-3.scope, user:1000",
        "/system.slice/web.service, web.service",
        "/batch.slice/batchd.service, batchd.service",
        "/machine.slice/systemd-nspawn@deb.service/payload, systemd-nspawn@deb.service",
        "/machine.slice/machine-vm.scope, machine:vm",
        "/machine.slice/libpod-" + ID + ".scope, podman:0123456789ab",
        "/system.slice/docker-" + ID + ".scope, docker:0123456789ab",
        "/docker/" + ID + ", docker:0123456789ab",
        "/batch/docker/" + ID + ", docker:0123456789ab",
        "/kubepods/burstable/poda1/" + ID + ", pod:a1",
        "/kubepods.slice/kubepods-podab.slice/cri-containerd-0123.scope, pod:ab",
        "/lxc.payload.web1, lxc:web1",
        "/lxc/web1, lxc:web1",
        "/system.slice/slurmstepd.scope/job_12/step_0/user/task_0, slurm:12",
        "/slurm/uid_1000/job_42/step_0, slurm:42",
        "/pbs_jobs.service/jobid/12.server, pbs:12.server",
        "/torque/12.server, torque:12.server",
        "/magnet.slice/gang-burn, gang:burn",
    })
    void shouldNameAJobAfterWhoMadeItWhenItsPathLooksLikeAnothers(String place, String owner) {
        for (String forged : List.of(
                "/magnet.slice/gang-x",
                "/slurmstepd.scope/job_4711",
                "/system.slice/slurmstepd.scope/job_4711/step_0",
                "/a.slice/b.slice/node7_slurmstepd.scope/sAB3DEFGH1JK2M",
                "/slurm/uid_0/job_4711",
                "/pbspro.service/jobid/7",
                "/pbs_jobs.service/jobs/7",
                "/pbspro.slice/pbspro-7.slice",
                "/torque/7",
                "/kubepods.slice/kubepods-podcd.slice",
                "/kubepods/podcd",
                "/kubepods/burstable/podcd",
                "/docker/" + ID.replace('0', 'f'),
                "/system.slice/docker-" + ID.replace('0', 'f') + ".scope",
                "/machine.slice/libpod-" + ID.replace('0', 'f') + ".scope",
                "/libpod_parent/libpod-" + ID.replace('0', 'f'),
                "/cri-containerd-" + ID.replace('0', 'f') + ".scope",
                "/crio-" + ID.replace('0', 'f') + ".scope",
                "/lxc.payload.x",
                "/lxc/x",
                "/machine.slice/machine-x.scope",
                "/user.slice/user-0.slice/session-1.scope",
                "/system.slice/cron.service",
                "/cron.service",
                "/init.scope")) {
            assertThat(JobNames.DEFAULTS.nameOf(place + forged))
                    .as(place + forged)
                    .contains(owner);
            assertThat(JobNames.DEFAULTS.nameOf(place + "/sub" + forged))
                    .as(forged)
                    .contains(owner);
        }
    }

    @Test
    void shouldKeepControlCharactersOutWhenAPathHasThem() {
        JobNames names = JobNames.none().with("x", "/{*}");

        assertThat(names.nameOf("/a\u001b[2J\u0007b c,d\\x0a\u202e")).contains("x:a_[2J_b_c_d__");
    }

    @Test
    void shouldGiveLongNamesACheckSumWhenTheyAreCut() {
        JobNames names = JobNames.none().with("x", "/{*}");
        String one = names.nameOf("/" + "a".repeat(100) + "1").orElseThrow();
        String other = names.nameOf("/" + "a".repeat(100) + "2").orElseThrow();

        assertThat(one).hasSize(JobNames.LENGTH_MAX).matches("x:a{53}~[0-9a-f]{8}");
        assertThat(other).hasSize(JobNames.LENGTH_MAX).isNotEqualTo(one);
        assertThat(names.nameOf("/" + "a".repeat(62)).orElseThrow()).isEqualTo("x:" + "a".repeat(62));
    }

    @Test
    void shouldTakeTheFirstPatternThatFits() {
        JobNames names = JobNames.none().with("one", "/a/{*}/**").with("other", "/a/**/{b?}, /**/{*}/**");

        assertThat(names.nameOf("/a/b1")).contains("one:b1");
        assertThat(names.nameOf("/c/d/b1")).contains("other:c");
        assertThat(names.lines()).containsExactly("one = /a/{*}/**", "other = /a/**/{b?}, /**/{*}/**");
        assertThat(JobNames.none().nameOf("/a/b1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/a/**/b/{*}, /a/b/b/c, x:c",
        "/a/**/b/{*}/**, /a/b/b/c, x:b",
        "/a/**/b/c/{*}, /a/b/b/c/d, x:d",
        "/a/**/b/{*}, /a/b/b, x:b",
        "**/b-{*}-c, /a/b-1-2-c, x:1-2",
        "**/{*}-c, /b-c-c, x:b-c",
        "**/b{*}c?, /bxcyc1, x:xcy",
        "/{?}, /ab, ''",
        "/{?}, /a, x:a",
        "/a{*}, /a, ''",
        "/{a*}/**, /ab, x:ab",
        "/**/z/**/{y}/**, /a/z/b/z/c/y/d, x:y",
        "**.slice/{*}, /b, x:b",
        "**.slice/{*}.scope, /a.slice/b.slice/c.scope, x:c",
        "**.slice/{*}.scope, /a.slice/b.service/c.scope, ''",
        "**.slice/{*}.scope, /a.service/c.scope, ''",
        "/a/**.slice/{*.b}/**, /a/x.slice/c.b/d/e, x:c.b",
        "/a/**.slice/{*.b}/**, /a/c/c.b/d, ''",
        "/a/{*}/**.slice, /a/c/d.slice/e.slice, x:c",
        "/a/{*}/**.slice, /a/c, x:c",
        "/a/{*}/**.slice, /a/c/d.slice/e, ''",
        "**.slice/a/**/{b}, /x.slice/a/a/c/b, x:b",
    })
    void shouldCaptureWhatStandsInTheBraces(String pattern, String path, String name) {
        assertThat(JobNames.none().with("x", pattern).nameOf(path).orElse("")).isEqualTo(name);
    }

    @Test
    void shouldEndSoonWhenManyStarsNearlyFit() {
        JobNames names =
                JobNames.none().with("x", "/" + "a*".repeat(100) + "{b}").with("y", "**/" + "**/a/".repeat(60) + "{b}");

        Assertions.assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> assertThat(names.nameOf("/" + "a".repeat(4000) + "/a".repeat(2000)))
                        .isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "X, /{*}, 'X'",
        "'', /{*}, lower-case",
        "x, 'a/{*}', begins with neither / nor **/",
        "x, '', begins with neither / nor **/",
        "x, '/a', one pair of braces",
        "x, '/{*}/{*}', one pair of braces",
        "x, '/{}', one pair of braces",
        "x, '/}*{', one pair of braces",
        "x, '/{*', one pair of braces",
        "x, '/a//{*}', empty name",
        "x, '/{*}/', empty name",
        "x, '/a**/{*}', ** behind other characters",
        "x, '/{**}', ** behind other characters",
        "x, '/**{*}', or beside braces",
        "x, '/**/a/**.slice/{*}', **.slice behind another **",
        "x, '**a', one pair of braces",
        "x, '/{*},', begins with neither",
    })
    void shouldRefuseAPatternThatMeansNothing(String kind, String pattern, String why) {
        JobNames none = JobNames.none();

        assertThatThrownBy(() -> none.with(kind, pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void shouldGiveLinesThatMakeTheSameList() {
        JobNames again = JobNames.none();
        for (String line : JobNames.DEFAULTS.lines()) {
            List<String> parts = List.of(line.split(" = ", 2));
            again = again.with(parts.get(0), parts.get(1));
        }

        assertThat(again.lines()).isEqualTo(JobNames.DEFAULTS.lines());
    }
}
