// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tasks of gtrace, and jobs of cgroups of version 1, are stopped, continued and killed. Each has three processes: a parent, a child,
 * and a child whose first thread has ended. A counter of each says whether it goes on.
 */
@GuestTest(smp = 1)
@Tag("long")
final class JobOrdersIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final String WORLD = """
            folder=%s
            rm -rf /tmp/job-orders && mkdir -p /tmp/job-orders/count && cd /tmp/job-orders || exit 1
            trap 'cp *.txt $folder 2>/dev/null' EXIT
            cat >tree.py <<'END'
            import ctypes, os, threading, time
            def count():
                n, own = 0, os.open("count/%%d" %% os.getpid(), os.O_WRONLY | os.O_CREAT)
                while True:
                    n += 1
                    os.pwrite(own, b"%%d" %% n, 0)
                    time.sleep(0.02)
            def leave_it_to_another_thread():
                threading.Thread(target=count).start()
                ctypes.CDLL(None).pthread_exit(None)
            for make in (count, leave_it_to_another_thread):
                if os.fork() == 0:
                    make()
            count()
            END
            # The words behind $1 are a script that the first process runs before.
            begin() {
                rm -f count/*
                bash -c "$1"' && exec python3 tree.py' & leader=$!
                until [ "$(ls count | wc -l)" = 3 ]; do kill -0 $leader || exit 1; sleep 0.1; done
            }
            sum() { local each sum=0; for each in count/*; do sum=$((sum + $(<$each))); done; echo $sum; }
            stands_still() { sum >before; sleep 1; sum >after; cmp before after >&2 || { echo "$1: they go on" >&2; exit 1; }; }
            all_go_on() {
                local each before
                for each in count/*; do
                    before=$(<$each)
                    until [ "$(<$each)" -gt $before ]; do sleep 0.1; done
                done
            }
            # A process that has ended is told from its first thread by its others.
            states() {
                local each
                for each in count/*; do
                    cat /proc/${each#count/}/task/*/status | awk '/^State/ && $2 != "Z" { print $2 }'
                done
            }
            none_is_left() {
                local each
                for each in count/*; do
                    while [ -e /proc/${each#count/}/task ] && grep -qv Z <(awk '/^State/ { print $2 }' /proc/${each#count/}/task/*/status); do
                        sleep 0.1
                    done
                done
            }
            run() { $MAGNET_ROOT/sensor-java/bin/magnet jobs "$@" >>out.txt 2>>err.txt; local status=$?; echo $status >>status.txt; return $status; }
            """;

    private final Guest guest;
    private Path folder = Path.of("");

    JobOrdersIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "job-orders-");
    }

    private void run(String script) {
        guest.sh(LIMIT, WORLD.formatted(folder) + script).orFail();
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file));
    }

    /** The freezer holds what is in the task's cgroup, signals who has left it. A stranger comes while the task is frozen. */
    @Test
    void shouldFreezeATaskAndSignalWhoHasLeftItsCgroup() throws IOException {
        KernelModule.load(guest);
        guest.run("insmod", KernelModule.gtrace(guest.options().kernel()).toString())
                .orFail();
        run("""
            root=/sys/fs/cgroup
            [ -e $root/cgroup.controllers ] || mount -t cgroup2 none $root || exit 1
            mkdir -p $root/render $root/elsewhere
            begin 'echo $$ >/sys/fs/cgroup/render/cgroup.procs && echo "new render tree" >/dev/gtrace'
            run stop gtrace:render || exit 1
            cat $root/render/cgroup.events >frozen.txt
            stands_still frozen
            sleep 1000 & stranger=$!
            echo $stranger >$root/render/cgroup.procs
            run cont gtrace:render || exit 1
            cat $root/render/cgroup.events >thawed.txt
            all_go_on
            run stop gtrace:render || exit 1
            states >with-stranger.txt
            stands_still "with a stranger"
            run cont gtrace:render || exit 1
            all_go_on
            kill $stranger
            wait $stranger
            set -- count/*
            echo ${1#count/} >$root/elsewhere/cgroup.procs
            run stop gtrace:render || exit 1
            cat /proc/${1#count/}/status | awk '/^State/ { print $2 }' >left.txt
            cat $root/render/cgroup.events >frozen-again.txt
            stands_still "one has left"
            run cont --signals gtrace:render || exit 1
            run cont gtrace:render || exit 1
            all_go_on
            run kill gtrace:render || exit 1
            none_is_left
            grep -c ^task /dev/gtrace >tasks.txt
            rmdir $root/render $root/elsewhere
            """);
        guest.run("rmmod", "magnet_gtrace").orFail();
        KernelModule.remove(guest);

        assertThat(lines("frozen.txt")).contains("frozen 1");
        assertThat(lines("thawed.txt")).contains("frozen 0");
        assertThat(lines("with-stranger.txt")).containsExactly("T", "T", "T");
        assertThat(lines("left.txt")).containsExactly("T");
        assertThat(lines("frozen-again.txt")).contains("frozen 1");
        assertThat(lines("tasks.txt")).containsExactly("0");
        assertThat(lines("status.txt")).containsOnly("0");
        assertThat(lines("out.txt"))
                .containsExactly(
                        "stopped 3 processes of gtrace:render",
                        "continued 3 processes of gtrace:render",
                        "stopped 3 processes of gtrace:render",
                        "continued 3 processes of gtrace:render",
                        "stopped 3 processes of gtrace:render",
                        "continued 3 processes of gtrace:render",
                        "continued 3 processes of gtrace:render",
                        "killed 3 processes of gtrace:render");
        assertThat(lines("err.txt"))
                .containsExactly("magnet: the freezer still holds processes of gtrace:render; \"magnet jobs cont"
                        + " gtrace:render\" lets them go on");
    }

    /** Slurm's cgroup/v1 puts a job there; in the unified hierarchy its processes are slurmd's. */
    @Test
    void shouldSignalJobsOfVersionOne() throws IOException {
        run("""
            root=/sys/fs/cgroup
            mount -t tmpfs none $root && mkdir $root/freezer $root/unified || exit 1
            mount -t cgroup -o freezer none $root/freezer && mount -t cgroup2 none $root/unified || exit 1
            job=$root/freezer/slurm/uid_1000/job_42
            mkdir -p $job/step_0 $root/unified/system.slice/slurmd.service
            begin 'echo $$ >/sys/fs/cgroup/freezer/slurm/uid_1000/job_42/step_0/cgroup.procs &&
                echo $$ >/sys/fs/cgroup/unified/system.slice/slurmd.service/cgroup.procs'
            run
            run stop slurm:42 || exit 1
            states >stopped.txt
            stands_still stopped
            run
            run cont slurm:42 || exit 1
            all_go_on
            run kill slurm:42 || exit 1
            none_is_left
            umount $root/freezer $root/unified && umount $root
            """);

        assertThat(lines("stopped.txt")).containsExactly("T", "T", "T");
        assertThat(lines("status.txt")).containsOnly("0");
        assertThat(lines("out.txt").stream()
                        .filter(line -> line.contains("slurm:42"))
                        .toList())
                .hasSize(5)
                .satisfies(
                        lines -> assertThat(lines.get(0)).matches("slurm:42 +root +3  running .*"),
                        lines -> assertThat(lines.get(1)).isEqualTo("stopped 3 processes of slurm:42"),
                        lines -> assertThat(lines.get(2)).matches("slurm:42 +root +3  stopped .*"),
                        lines -> assertThat(lines.get(3)).isEqualTo("continued 3 processes of slurm:42"),
                        lines -> assertThat(lines.get(4)).isEqualTo("killed 3 processes of slurm:42"));
    }
}
