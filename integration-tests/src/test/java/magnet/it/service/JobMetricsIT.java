// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What magnetd publishes of jobs is the kernel's own account of their control groups, and who made them wait is what bpftrace
 * says. Their processes begin after magnetd and stand still at the end, so that all have all of it. The guest has one CPU, so whoever
 * runs there is who is waited for.
 */
@GuestTest(smp = 1)
final class JobMetricsIT {
    private static final long WAIT_NANOS = 2_000_000_000L;
    private static final int DATAGRAMS_3 = 1_009;
    private static final int DATAGRAMS_2 = 503;
    private static final int BYTES_3 = 100;
    private static final int BYTES_2 = 200;
    private static final int READS_3 = 127;
    private static final int READS_2 = 61;
    private static final int READ_BYTES = 4_096;

    private static final double MICROS_PER_PERCENT = 1e4;
    private static final double NANOS_PER_PERCENT = 1e7;
    /** The kernel takes the times of its own accounts at slightly different places. */
    private static final Percentage SAME = Percentage.withPercentage(5);

    /** A move is done before its event is logged, and who moves may run in between. */
    private static final double MOVE_MICROS = 30_000;

    private static final String CONFIG =
            TeeingMagnetd.config("4M", "network", "journey", "interrupts", "block", "memory", "syscalls", "user")
                    + "jobs = on\n";

    private static final String WORK = """
            root=/sys/fs/cgroup slurm=/sys/fs/cgroup/system.slice/slurmstepd.scope
            job_1=$slurm/job_1/step_0 job_2=$slurm/job_2/step_0 job_3=$slurm/job_3/step_0 cron=$root/system.slice/cron.service
            mountpoint -q $root || mount -t cgroup2 none $root || exit 1
            mkdir -p $job_1 $job_2 $job_3 $cron
            for above in $root $root/system.slice $slurm $slurm/job_1 $slurm/job_2 $slurm/job_3; do
                echo +io >$above/cgroup.subtree_control || exit 1
            done
            ip link set lo up
            # The kernel keeps these times in 32 bits of nanoseconds until somebody looks.
            look() { cat $slurm/job_*/cpu.pressure >/dev/null; sleep 0.2; }
            stands_still() { until grep -q '^State:.*T' /proc/$1/status; do look; done; }
            # Nanoseconds that a process has run, and its children, which the kernel tells in hundredths of a second.
            ran() {
                local ran waited slices children
                read -r ran waited slices </proc/$1/schedstat
                children=$(tr '\\n' ' ' </proc/$1/stat | sed 's/.*) //' | awk '{ print $14 + $15 }')
                echo $((ran + children * 10000000))
            }
            # What stands still uses no time while it is looked at and moved.
            declare -A before
            join() {
                stands_still $1
                before[$1]=$(ran $1)
                read -r ran joined slices </proc/$1/schedstat
                echo $1 >$2/cgroup.procs
            }
            begin() {
                local group=$1; shift
                setsid bash -c 'kill -STOP $$; exec "$@"' bash "$@" & started=$!
                join $started $group
            }
            is_ready() { until [ -e /tmp/ready_$1 ]; do sleep 0.1; done; }
            apart='ip link set lo up && exec python3 /tmp/work.py "$@"'
            cat >/tmp/work.py <<'END'
            import mmap, os, signal, socket, sys
            datagrams, size, reads = map(int, sys.argv[1:])
            own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            own.bind(("127.0.0.1", 0))
            for i in range(datagrams):
                own.sendto(b"x" * size, own.getsockname())
                own.recv(size)
            page = mmap.mmap(-1, %6$d)
            disk = os.open("/dev/nullb0", os.O_RDONLY | os.O_DIRECT)
            for i in range(reads):
                os.preadv(disk, [page], i * %6$d)
            udp = [line.split() for line in open("/proc/self/net/snmp") if line.startswith("Udp:")][1]
            open("/tmp/said", "a").write("received %%s\\nsent %%s\\n" %% (udp[1], udp[4]))
            os.kill(os.getpid(), signal.SIGSTOP)
            END
            cat >/tmp/loop.sh <<'END'
            trap "kill -STOP $$" USR1
            : >/tmp/ready_$$
            while :; do :; done
            END
            setsid bash -c 'echo jobwaiter >/proc/$$/comm; kill -STOP $$; . /tmp/loop.sh' & waiting=$!
            join $waiting $job_1; waited_before=$joined
            kill -CONT $waiting
            is_ready $waiting
            renice -n 19 -p $waiting >/dev/null
            begin $job_2 bash /tmp/loop.sh; burning=$started
            begin $cron bash /tmp/loop.sh; moving=$started
            kill -CONT $burning $moving
            is_ready $burning; is_ready $moving
            until read -r ran waited slices </proc/$waiting/schedstat; ((waited > %1$d / 2)); do look; done
            echo $moving >$job_2/cgroup.procs
            until read -r ran waited slices </proc/$waiting/schedstat; ((waited > %1$d)); do look; done
            kill -USR1 $burning $moving
            stands_still $burning; stands_still $moving
            kill -USR1 $waiting
            stands_still $waiting
            begin $job_3 unshare --net bash -c "$apart" bash %2$d %4$d %7$d; working_3=$started
            kill -CONT $started; stands_still $started
            read -r ran waited slices </proc/$waiting/schedstat
            echo waited $((waited - waited_before))
            begin $job_2 unshare --net bash -c "$apart" bash %3$d %5$d %8$d; working_2=$started
            kill -CONT $started; stands_still $started
            cat /tmp/said
            for process in waiting burning moving working_3 working_2; do
                echo used_$process $((($(ran ${!process}) - before[${!process}]) / 1000))
            done
            for job in 1 2 3; do
                awk '/^usage_usec/ { print "cpu_'$job'", $2 }' $slurm/job_$job/cpu.stat
                awk '{ sub("total=", ""); if ($1 == "some") print "some_'$job'", $NF }' $slurm/job_$job/cpu.pressure
                tr ' ' '\\n' <$slurm/job_$job/io.stat | awk -F= '/^rios/ { print "reads_'$job'", $2 }'
                tr ' ' '\\n' <$slurm/job_$job/io.stat | awk -F= '/^rbytes/ { print "bytes_'$job'", $2 }'
            done
            awk '/^usage_usec/ { print "cpu_cron", $2 }' $cron/cpu.stat
            stat -c 'id_2 %%i' $job_2
            stat -c 'id_root %%i' $root
            stat -c 'id_cron %%i' $cron
            """;

    private static TeeWindow window = TeeWindow.EMPTY;
    private static Map<String, Long> said = Map.of();
    private static BpftraceMaps witnessed = BpftraceMaps.parse("");

    @BeforeAll
    static void runJobs(Guest guest) {
        KernelModule.load(guest);
        SlowDisk.make(guest, "nullb0", 100);
        try (Bpftrace bpftrace = Bpftrace.start(guest, "job_waits.bt");
                TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            said = Counters.read(
                    guest,
                    WORK.formatted(
                            WAIT_NANOS, DATAGRAMS_3, DATAGRAMS_2, BYTES_3, BYTES_2, READ_BYTES, READS_3, READS_2));
            witnessed = bpftrace.maps();
            window = TeeWindow.next(guest, magnetd.windows());
            magnetd.stop();
        }
        assertThat(window.fromByte()).as("the window still grew").isZero();
    }

    @Test
    void shouldLoseNothing() {
        assertThat(window.value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldHaveTheCpuTimeOfEachAlsoWhenAProcessMoves() {
        assertCpuTime("slurm:1", said("cpu_1"));
        assertCpuTime("slurm:2", said("cpu_2"));
        assertCpuTime("cron.service", said("cpu_cron"));
    }

    /** As the kernel has it of each process, from which getrusage takes it. One moves from cron.service to slurm:2, so the two are looked at together. */
    @Test
    void shouldHaveTheCpuTimeThatProcessesHaveUsed() {
        assertCpuTime("slurm:1", said("used_waiting"));
        assertCpuTime("slurm:3", said("used_working_3"));
        assertMicros(
                cpuMicros("slurm:2") + cpuMicros("cron.service"),
                said("used_burning") + said("used_moving") + said("used_working_2"),
                "slurm:2 and cron.service");
    }

    private static void assertCpuTime(String job, long micros) {
        assertMicros(cpuMicros(job), micros, job);
    }

    private static double cpuMicros(String job) {
        return total(job, "cpu_percent") * MICROS_PER_PERCENT;
    }

    private static void assertMicros(double published, long micros, String whose) {
        assertThat(micros).as(whose).isPositive();
        assertThat(published).as(whose).isCloseTo((double) micros, within(micros * SAME.value / 100 + MOVE_MICROS));
    }

    @Test
    void shouldHaveTheTimeThatAJobWaitedForACpu() {
        assertThat(total("slurm:1", "wait_threads_percent") * NANOS_PER_PERCENT)
                .isCloseTo((double) said("waited"), SAME);
        assertThat(total("slurm:1", "wait_percent") * MICROS_PER_PERCENT).isCloseTo((double) said("some_1"), SAME);
        assertThat(total("slurm:2", "wait_percent") * MICROS_PER_PERCENT).isCloseTo((double) said("some_2"), SAME);
    }

    /** What bpftrace says of each control group; magnetd itself and bpftrace are in the root, which is no job. */
    @Test
    void shouldSayWhoRanLongestMeanwhile() {
        Map<String, Long> causes = new TreeMap<>();
        causes.put("slurm:2", witnessed.number("cause[" + said("id_2") + "]"));
        causes.put("cron.service", witnessed.number("cause[" + said("id_cron") + "]"));
        causes.put("none", witnessed.number("cause[" + said("id_root") + "]"));
        String most =
                Collections.max(causes.entrySet(), Map.Entry.comparingByValue()).getKey();

        assertThat(causes.values()).allMatch(nanos -> nanos > 0);
        assertThat(window.text(metric("slurm:1", "waited_for_name"))).isEqualTo(most);
        assertThat(total("slurm:1", "waited_for_percent") * NANOS_PER_PERCENT)
                .isCloseTo((double) causes.get(most), SAME);
    }

    @Test
    void shouldHaveEachDatagram() {
        assertThat(said("sent")).isEqualTo(DATAGRAMS_3 + DATAGRAMS_2);
        assertThat(said("received")).isEqualTo(DATAGRAMS_3 + DATAGRAMS_2);
        assertThat(count("slurm:3", "send_packets_rate")).isEqualTo(DATAGRAMS_3);
        assertThat(count("slurm:2", "send_packets_rate")).isEqualTo(DATAGRAMS_2);
        assertThat(count("slurm:3", "receive_packets_rate")).isEqualTo(DATAGRAMS_3);
        assertThat(count("slurm:2", "receive_packets_rate")).isEqualTo(DATAGRAMS_2);
        assertThat(count("slurm:3", "send_bytes_rate")).isEqualTo(DATAGRAMS_3 * BYTES_3);
        assertThat(count("slurm:2", "receive_bytes_rate")).isEqualTo(DATAGRAMS_2 * BYTES_2);
    }

    @Test
    void shouldHaveEachRequestToADisk() {
        assertThat(said("reads_3")).isEqualTo(READS_3);
        assertThat(said("reads_2")).isEqualTo(READS_2);
        assertThat(count("slurm:3", "disk_requests_rate")).isEqualTo(READS_3);
        assertThat(count("slurm:2", "disk_requests_rate")).isEqualTo(READS_2);
        assertThat(count("slurm:3", "disk_bytes_rate")).isEqualTo(said("bytes_3"));
        assertThat(count("slurm:2", "disk_bytes_rate")).isEqualTo(said("bytes_2"));
    }

    private static long count(String job, String key) {
        return Math.round(total(job, key));
    }

    /** What is published of a job, over the whole window. */
    private static double total(String job, String key) {
        return window.value(metric(job, key)) * window.value("magnet_sensor_window_length");
    }

    private static String metric(String job, String key) {
        return IntStream.rangeClosed(1, 4)
                        .mapToObj(slot -> "magnet_job" + slot + "_")
                        .filter(stem -> window.text(stem + "job_name").equals(job))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(job + " is not among the first: " + window))
                + key;
    }

    private static long said(String name) {
        return said.getOrDefault(name, -1L);
    }
}
