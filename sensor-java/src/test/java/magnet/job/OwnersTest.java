// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;

class OwnersTest {
    private static final int PRESENT = 0;
    private static final int FORK = 1;
    private static final int EXEC = 2;
    private static final int MOVE = 3;

    private static final String JOB_1 = "/system.slice/slurmstepd.scope/job_1";
    private static final String JOB_2 = "/system.slice/slurmstepd.scope/job_2";

    private final List<String> told = new ArrayList<>();
    private final Owners owners = new Owners(JobNames.DEFAULTS, new JobListener() {
        @Override
        public void onJob(int job, String name) {
            told.add("+" + job + " " + name);
        }

        @Override
        public void onEnd(int job) {
            told.add("-" + job + " " + owners().name(job));
        }
    });
    private final RecordWriter writer = new RecordWriter(RecordLayout.WIDE, 1024);
    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);

    private Owners owners() {
        return owners;
    }

    private void hand() {
        owners.onRecord(record.wrap(writer.buffer(), 0));
        writer.clear();
    }

    private void mkdir(long cgroup, String path) {
        writer.record(EventType.CGROUP_MKDIR, 0, 1, 1, cgroup, 0, 1, 2, path.length())
                .text(EventType.CGROUP_MKDIR, "path", path);
        hand();
    }

    private void rmdir(long cgroup) {
        writer.record(EventType.CGROUP_RMDIR, 0, 1, 1, cgroup, 0);
        hand();
    }

    private void attach(int process, long cgroup, int how) {
        attach(process, cgroup, how, 0);
    }

    private void attach(int process, long cgroup, int how, long timer) {
        writer.record(EventType.TASK_ATTACH, 0, 1, 1, process, timer, cgroup, how);
        hand();
    }

    private void fork(int parent, int child, int childProcess) {
        fork(parent, child, childProcess, 0);
    }

    private void fork(int parent, int child, int childProcess, long timer) {
        writer.record(EventType.SCHED_PROCESS_FORK, 0, parent, parent, child, timer, childProcess, parent);
        hand();
    }

    private void exit(int process, int groupDead) {
        exit(process, groupDead, 0);
    }

    private void exit(int process, int groupDead, long timer) {
        writer.record(EventType.SCHED_PROCESS_EXIT, 0, process, process, process, timer, 0, groupDead);
        hand();
    }

    private void lose() {
        writer.record(EventType.LOST, 0, 0, 0, 0, 0, 1);
        hand();
    }

    @Test
    void shouldKnowAProcessesJobWhenBothWereTold() {
        mkdir(100, JOB_1);
        mkdir(101, JOB_1 + "/step_0");
        mkdir(200, "/other");
        attach(7, 101, PRESENT);
        attach(8, 200, PRESENT);
        attach(9, 300, PRESENT);

        assertThat(owners.cgroup(7)).isEqualTo(101);
        assertThat(owners.path(101)).isEqualTo(JOB_1 + "/step_0");
        assertThat(owners.job(7)).isEqualTo(1);
        assertThat(owners.name(1)).isEqualTo("slurm:1");
        assertThat(owners.number("slurm:1")).isEqualTo(1);
        assertThat(owners.owner(7)).isEqualTo("slurm:1");
        assertThat(owners.job(8)).isZero();
        assertThat(owners.owner(8)).isEqualTo("/other");
        assertThat(owners.cgroup(9)).isEqualTo(300);
        assertThat(owners.owner(9)).isEmpty();
        assertThat(owners.cgroup(10)).isZero();
        assertThat(owners.owner(10)).isEmpty();
        assertThat(owners.jobsEnd()).isEqualTo(2);
        mkdir(300, JOB_2);
        assertThat(owners.owner(9)).as("told before its cgroup").isEqualTo("slurm:2");
    }

    @Test
    void shouldFollowAProcessWhenItMoves() {
        mkdir(100, JOB_1);
        mkdir(200, JOB_2);
        attach(7, 100, FORK);
        fork(1, 7, 7);
        attach(7, 200, MOVE);
        attach(7, 200, EXEC);

        assertThat(owners.owner(7)).isEqualTo("slurm:2");
    }

    @Test
    void shouldInheritWhenAProcessForksAndNotWhenAThreadBegins() {
        attach(7, 100, PRESENT);
        fork(7, 8, 8);
        fork(7, 9, 7);

        assertThat(owners.cgroup(8)).isEqualTo(100);
        assertThat(owners.cgroup(9)).isZero();
    }

    @Test
    void shouldBelieveTheTaskAttachWhenAChildIsMadeElsewhere() {
        attach(7, 100, PRESENT);
        attach(8, 200, FORK);
        fork(7, 8, 8);
        fork(7, 9, 9);
        attach(9, 200, FORK);

        assertThat(owners.cgroup(8)).isEqualTo(200);
        assertThat(owners.cgroup(9)).isEqualTo(200);
    }

    @Test
    void shouldNotMixUpProcessesWhenAnIdIsUsedAgain() {
        attach(7, 100, PRESENT);
        exit(7, 0);
        assertThat(owners.cgroup(7)).isEqualTo(100);
        exit(7, 1);
        exit(7, 1);
        assertThat(owners.cgroup(7)).as("its last time slice").isEqualTo(100);

        attach(1, 200, PRESENT);
        fork(1, 7, 7);
        assertThat(owners.cgroup(7)).isEqualTo(200);
        exit(7, 1);
        fork(55, 7, 7);
        assertThat(owners.cgroup(7)).as("child of an unknown process").isZero();
    }

    @Test
    void shouldForgetAProcessWhenManyMoreHaveEnded() {
        attach(1, 100, PRESENT);
        exit(1, 1);
        attach(1, 200, FORK);
        exit(1, 1);
        for (int i = 0; i < Owners.ENDED_KEPT - 1; i++) {
            attach(10 + i, 100, FORK);
            exit(10 + i, 1);
        }
        assertThat(owners.cgroup(1)).isEqualTo(200);
        attach(9999, 100, FORK);
        exit(9999, 1);
        assertThat(owners.cgroup(1)).isZero();
    }

    @Test
    void shouldKeepAnEndedProcessEndedWhenItIsToldLateAsPresent() {
        attach(7, 100, FORK);
        exit(7, 1);
        attach(7, 100, PRESENT);
        for (int i = 0; i < Owners.ENDED_KEPT; i++) {
            attach(10 + i, 100, FORK);
            exit(10 + i, 1);
        }
        assertThat(owners.cgroup(7)).isZero();
    }

    /** What a storm guard refuses is lost as well. */
    @Test
    void shouldTellNothingThatMayBeFalseWhenAStormGuardRefusedWhatTellsOwners() {
        mkdir(100, JOB_1);
        attach(7, 100, PRESENT);
        writer.record(EventType.STORM, 0, 0, 0, EventType.UDP_SENDMSG.id(), 4, 3, 1, 2);
        hand();
        assertThat(owners.cgroup(7)).isEqualTo(100);

        writer.record(EventType.STORM, 0, 0, 0, EventType.TASK_ATTACH.id(), 4, 3, 1, 2);
        hand();

        assertThat(owners.cgroup(7)).isZero();
    }

    @Test
    void shouldTellNothingThatMayBeFalseWhenSomethingWasLost() {
        mkdir(100, JOB_1);
        attach(7, 100, PRESENT);
        attach(8, 100, PRESENT);
        attach(9, 100, FORK);
        lose();
        fork(7, 9, 9);

        assertThat(owners.losses()).isEqualTo(1);
        assertThat(owners.cgroup(7)).isZero();
        assertThat(owners.job(7)).isZero();
        assertThat(owners.owner(7)).isEmpty();
        assertThat(owners.cgroup(9)).isZero();
        assertThat(owners.path(100)).as("ids are not used again").isEqualTo(JOB_1);

        attach(7, 100, EXEC);
        fork(7, 10, 10);
        owners.tell(8, 100);
        assertThat(owners.owner(7)).isEqualTo("slurm:1");
        assertThat(owners.owner(10)).isEqualTo("slurm:1");
        assertThat(owners.owner(8)).isEqualTo("slurm:1");
        owners.onGap(0);
        assertThat(owners.cgroup(7)).isZero();
    }

    @Test
    void shouldGiveAJobsNumberAgainWhenItsCgroupsAreForgotten() {
        mkdir(100, JOB_1);
        mkdir(101, JOB_1 + "/step_0");
        mkdir(200, JOB_2);
        attach(7, 101, FORK);
        exit(7, 1);
        rmdir(101);
        rmdir(101);
        assertThat(owners.isPresent(1)).isTrue();
        rmdir(100);
        mkdir(100, JOB_1);
        assertThat(owners.isPresent(1)).isFalse();
        assertThat(owners.owner(7)).as("its last records").isEqualTo("slurm:1");
        for (int i = 0; i < Owners.REMOVED_KEPT; i++) {
            mkdir(1000 + i, "/x" + i);
            rmdir(1000 + i);
        }
        assertThat(owners.path(100)).isEmpty();
        assertThat(owners.name(1)).isEmpty();
        assertThat(owners.number("slurm:1")).isZero();
        mkdir(300, "/init.scope");
        assertThat(told).containsExactly("+1 slurm:1", "+2 slurm:2", "-1 slurm:1", "+1 init.scope");
    }

    @Test
    void shouldNameNoJobByHalfANameWhenAPathIsTooLong() {
        String deep = JOB_1 + "/" + "d".repeat(250);
        mkdir(100, deep);
        mkdir(101, "/system.slice/" + "l".repeat(260) + ".service");

        assertThat(owners.path(100)).isEqualTo(deep.substring(0, 255) + "…");
        assertThat(owners.name(owners.jobOfCgroup(100))).isEqualTo("slurm:1");
        assertThat(owners.jobOfCgroup(101)).isZero();
    }

    @Test
    void shouldStayBoundedAndExactWhenManyComeAndGo() {
        for (int cgroup = 0; cgroup < 10_000; cgroup++) {
            mkdir(1 + cgroup, "/system.slice/slurmstepd.scope/job_" + cgroup);
        }
        for (int process = 1; process <= 100_000; process++) {
            attach(process, 1 + process % 10_000, FORK);
            fork(1, process, process);
        }
        for (int process = 1; process <= 100_000; process++) {
            assertThat(owners.name(owners.job(process)).equals("slurm:" + process % 10_000))
                    .isTrue();
        }
        for (int round = 0; round < 3; round++) {
            for (int process = 1; process <= 100_000; process++) {
                exit(process, 1);
                attach(process, 1 + (process + round) % 10_000, FORK);
            }
        }
        assertThat(owners.processesWithoutRoom()).isZero();
        assertThat(owners.cgroupsWithoutRoom()).isZero();
        for (int process = 1; process <= 100_000; process++) {
            assertThat(owners.cgroup(process) == 1 + (process + 2) % 10_000).isTrue();
        }
        for (int cgroup = 0; cgroup < 10_000; cgroup++) {
            rmdir(1 + cgroup);
            mkdir(20_001 + cgroup, "/system.slice/slurmstepd.scope/job_" + (20_000 + cgroup));
        }
        assertThat(owners.jobsEnd()).isLessThanOrEqualTo(10_000 + Owners.REMOVED_KEPT + 2);
        assertThat(owners.name(owners.jobOfCgroup(25_001))).isEqualTo("slurm:25000");
        assertThat(owners.cgroupsWithoutRoom()).isZero();
    }

    @Test
    void shouldCountWhatHasNoRoom() {
        for (int process = 1; process <= Owners.PROCESSES_MAX; process++) {
            attach(process, 100, PRESENT);
        }
        attach(1_000_000, 100, PRESENT);
        assertThat(owners.processesWithoutRoom()).isEqualTo(1);
        assertThat(owners.cgroup(1_000_000)).isZero();
        exit(5, 1);
        attach(1_000_000, 100, PRESENT);
        assertThat(owners.cgroup(1_000_000))
                .as("in place of one that has ended")
                .isEqualTo(100);
        assertThat(owners.cgroup(5)).isZero();

        for (int cgroup = 1; cgroup <= Owners.CGROUPS_MAX + 1; cgroup++) {
            mkdir(cgroup, "/x" + cgroup);
        }
        assertThat(owners.cgroupsWithoutRoom()).isEqualTo(1);
        assertThat(owners.path(Owners.CGROUPS_MAX + 1)).isEmpty();
        rmdir(1);
        mkdir(Owners.CGROUPS_MAX + 1, "/y");
        assertThat(owners.path(Owners.CGROUPS_MAX + 1)).isEqualTo("/y");
    }

    @Test
    void shouldBelieveTheYoungerRecordWhenAnOlderOneComesLate() {
        attach(7, 200, MOVE, 20);
        attach(7, 100, MOVE, 10);
        assertThat(owners.cgroup(7)).isEqualTo(200);
        fork(7, 8, 8, 30);
        attach(8, 300, MOVE, 40);
        fork(7, 8, 8, 35);
        assertThat(owners.cgroup(8)).isEqualTo(300);
        exit(7, 1, 50);
        attach(7, 100, PRESENT, 45);
        attach(7, 400, FORK, 60);
        exit(7, 1, 55);
        assertThat(owners.cgroup(7)).as("the id is used again").isEqualTo(400);
        assertThat(present()).contains("7 400");
    }

    @Test
    void shouldNotBelieveALateRecordOfBeforeALoss() {
        attach(7, 100, MOVE, 5);
        writer.record(EventType.LOST, 0, 0, 0, 0, 10, 1);
        hand();
        attach(7, 200, MOVE, 8);
        attach(8, 200, MOVE, 9);
        assertThat(owners.cgroup(7)).isZero();
        assertThat(owners.cgroup(8)).isZero();
        owners.tell(8, 300);
        attach(7, 200, MOVE, 10);

        assertThat(owners.cgroup(7)).isEqualTo(200);
        assertThat(owners.cgroup(8)).isEqualTo(300);
    }

    @Test
    void shouldCompareNoTimersAcrossEpochs() {
        attach(7, 200, MOVE, 1_000_000);
        owners.onNewEpoch(1);
        assertThat(owners.cgroup(7)).isEqualTo(200);
        attach(7, 100, MOVE, 10);

        assertThat(owners.cgroup(7)).isEqualTo(100);
    }

    @Test
    void shouldTakeThePlaceOfWhatALossHasMadeUselessWhenThereIsNoRoom() {
        for (int process = 1; process <= Owners.PROCESSES_MAX; process++) {
            attach(process, 100, PRESENT);
        }
        lose();
        attach(5, 100, EXEC);
        for (int process = 1; process < Owners.PROCESSES_MAX; process++) {
            attach(1_000_000 + process, 200, FORK);
        }
        assertThat(owners.processesWithoutRoom()).isZero();
        assertThat(owners.cgroup(5)).isEqualTo(100);
        assertThat(owners.cgroup(1_000_001)).isEqualTo(200);
        assertThat(owners.cgroup(1_000_000 + Owners.PROCESSES_MAX - 1)).isEqualTo(200);
        attach(9_000_000, 300, FORK);
        assertThat(owners.processesWithoutRoom()).isEqualTo(1);
    }

    /** Their rmdir was lost: after the loss the kernel tells those that are there. */
    @Test
    void shouldTakeThePlaceOfCgroupsThatNobodyTellsAfterALoss() {
        mkdir(1, JOB_1);
        mkdir(2, JOB_1 + "/step_0");
        for (int cgroup = 3; cgroup <= Owners.CGROUPS_MAX; cgroup++) {
            mkdir(cgroup, "/system.slice/slurmstepd.scope/job_" + cgroup);
        }
        lose();
        mkdir(1, JOB_1);
        rmdir(3);
        owners.tellCgroup(2, JOB_1 + "/step_0");
        for (int cgroup = 1; cgroup <= Owners.CGROUPS_MAX - 2; cgroup++) {
            mkdir(100_000 + cgroup, "/system.slice/slurmstepd.scope/job_" + (100_000 + cgroup));
        }
        assertThat(owners.cgroupsWithoutRoom()).isZero();
        assertThat(owners.path(1)).isEqualTo(JOB_1);
        assertThat(owners.path(2)).isEqualTo(JOB_1 + "/step_0");
        assertThat(owners.path(77)).isEmpty();
        assertThat(owners.number("slurm:77")).isZero();
        assertThat(owners.isPresent(owners.number("slurm:1"))).isTrue();
        assertThat(owners.name(owners.jobOfCgroup(100_001))).isEqualTo("slurm:100001");
        mkdir(900_000, "/x");
        assertThat(owners.cgroupsWithoutRoom()).isEqualTo(1);
    }

    @Test
    void shouldHandOverAllThatItKnows() {
        mkdir(100, JOB_1);
        owners.tellCgroup(200, JOB_2);
        owners.tellCgroup(100, "/another");
        attach(7, 100, PRESENT);
        attach(8, 100, FORK);
        attach(9, 200, FORK);
        exit(8, 1);

        assertThat(present()).containsExactlyInAnyOrder("7 100", "9 200");
        List<String> cgroups = new ArrayList<>();
        owners.forEachCgroup((cgroup, path) -> cgroups.add(cgroup + " " + path));
        assertThat(cgroups).containsExactlyInAnyOrder("100 " + JOB_1, "200 " + JOB_2);
        assertThat(owners.owner(9)).isEqualTo("slurm:2");
        lose();
        assertThat(present()).isEmpty();
    }

    private List<String> present() {
        List<String> present = new ArrayList<>();
        owners.forEachProcess((process, cgroup) -> present.add(process + " " + cgroup));
        return present;
    }
}
