// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * At level full every family of metrics agrees with what the kernel itself counts. Where nothing but the workload
 * causes such events, the numbers are equal; where the whole machine does, the kernel's counter is read before and after
 * both ends of the window, and the published number lies between. magnetd has no more rights than its systemd unit gives
 * it.
 */
@GuestTest(turns = true)
final class FamiliesIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int INTERVALS = 40;
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final double HALF_A_DIGIT = 0.000_000_5;
    private static final int READS = 211;
    private static final int WRITES = 103;
    private static final int DATAGRAMS = 1_009;
    private static final int REFUSED = 101;
    private static final int MARKERS = 53;
    private static final int MOVES = 307;
    private static final int READ_SECONDS = 5;
    /** Times of the kernel's scheduler and of its events are taken at slightly different places. */
    private static final Percentage SAME = Percentage.withPercentage(5);

    private static final String CONFIG = """
            [collector]
            buffer-size = 16M
            [publish]
            interval = %ds
            window = %ds
            [metrics]
            level = full
            """;
    /** The kernel's tracer, which counts threads that go to another CPU. */
    private static final String TRACER = "/sys/kernel/tracing/instances/witness";

    /**
     * Softirqs by name, context switches, threads made, interrupts of lines, and what the tracer has or had to give up; one
     * "name count" a line.
     */
    private static final String COUNTERS = """
            awk 'NR > 1 { n = 0; for (i = 2; i <= NF; i++) n += $i; sub(":", "", $1); print $1, n }' /proc/softirqs
            awk '$1 == "ctxt" || $1 == "processes" { print $1, $2 }' /proc/stat
            awk 'NR == 1 { cpus = NF } $1 ~ /^[0-9]+:$/ { for (i = 2; i <= cpus + 1; i++) n += $i } END { print "lines", n + 0 }' \
            /proc/interrupts
            awk '$1 == "entries:" || $1 == "overrun:" { print "migrations", $2 }' %s/per_cpu/cpu*/stats
            """.formatted(TRACER);
    /** Of all namespaces that there are, and of disks. */
    private static final String OWN_COUNTERS = """
            for in in '' 'ip netns exec load'; do
                $in cat /proc/net/snmp /proc/net/snmp6 | awk -v of="${in:+load}" \
                    '$1 == "Udp:" && $3 ~ /[0-9]/ { print of "NoPorts", $3; print of "RcvbufErrors", $6 }
                     $1 == "Tcp:" && $13 ~ /[0-9]/ { print of "RetransSegs", $13 }
                     $1 == "Udp6NoPorts" || $1 == "Udp6RcvbufErrors" { print of substr($1, 5), $2 }'
            done
            awk '{ print "reads", $4; print "sectorsRead", $6; print "writes", $8; print "sectorsWritten", $10 }' \
            /proc/diskstats
            awk '$1 == "oom_kill" { print "oomKills", $2 } /^allocstall/ { print "stalls", $2 }' /proc/vmstat
            awk '$1 == "max" { print "stalls", $2 }' /tmp/cgroup/small/memory.events
            """;

    /** But for the shell that looks. */
    private static final String ALIVE = """
            alive=0
            for process in /proc/[1-9]*; do
                [ $process = /proc/$$ ] || { read -r stat <$process/stat; } 2>/dev/null || continue
                case ${stat##*) } in [ZX]*) ;; *) ((alive++)) ;; esac
            done
            echo alive $((alive - 1))
            """;

    private static GmondXml published = GmondXml.parse("<GANGLIA_XML/>");
    private static Map<String, Long> atMost = Map.of();
    private static Map<String, Long> atLeast = Map.of();
    private static Map<String, Long> exactly = Map.of();
    private static long burner;
    private static double burnerNanos;
    private static List<Long> alive = List.of();

    @BeforeAll
    static void runEverythingAtFullLevel(Guest guest) {
        KernelModule.load(guest, "gid=" + Magnetd.GROUP);
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        Magnetd.configure(guest, CONFIG.formatted(interval, INTERVALS * interval));
        guest.sh(LIMIT, """
                modprobe null_blk nr_devices=1 gb=1
                until [ -b /dev/nullb0 ]; do sleep 0.1; done
                ip netns add load
                ip -n load link set lo up
                ip -n load link add dummy0 type dummy
                ip -n load address add 10.9.9.1/24 dev dummy0
                ip -n load link set dummy0 up
                mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup
                echo +memory >/tmp/cgroup/cgroup.subtree_control
                mkdir /tmp/cgroup/small && echo 8M >/tmp/cgroup/small/memory.max
                mkdir %1$s && echo 1 >%1$s/events/sched/sched_migrate_task/enable
                """.formatted(TRACER)).orFail();
        Map<String, Long> beforeStart = Counters.read(guest, COUNTERS);
        Map<String, Long> ownBefore = Counters.read(guest, OWN_COUNTERS);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startUnprivileged(guest).awaitLog("publishing ")) {
            gmond.await(WINDOW, LIMIT);
            Map<String, Long> afterStart = Counters.read(guest, COUNTERS);
            work(guest);
            Map<String, Long> beforeEnd = Counters.read(guest, COUNTERS);
            long aliveBefore = alive(guest);
            Counters.awaitTwoPublications(gmond, guest);
            published = gmond.xml();
            alive = List.of(aliveBefore, alive(guest));
            atMost = Counters.difference(beforeStart, Counters.read(guest, COUNTERS));
            atLeast = Counters.difference(afterStart, beforeEnd);
            exactly = Counters.difference(ownBefore, Counters.read(guest, OWN_COUNTERS));
            magnetd.stop().orFail();
        }
        guest.sh("kill -KILL " + burner).orFail();
        assertThat(window()).as("the window still grew").isLessThan((double) INTERVALS * interval);
    }

    private static long alive(Guest guest) {
        return Counters.read(guest, ALIVE).getOrDefault("alive", 0L);
    }

    private static void work(Guest guest) {
        GuestProcess burn = guest.start("taskset", "-c", "1", "bash", "-c", "while :; do :; done");
        burner = burn.pid();
        guest.sh(LIMIT, """
                dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=%d status=none
                dd if=/dev/zero of=/dev/nullb0 oflag=direct bs=8k count=%d status=none
                ip netns exec load build/tools/udp_mix %d 9
                ip netns exec load bash -c 'for ((i = 0; i < %d; i++)); do echo >/dev/udp/127.0.0.1/7; done'
                for ((i = 1; i <= %d; i++)); do echo "$i hello" >/sys/kernel/debug/magnet/marker; done
                ip netns exec load timeout 8 bash -c 'exec 3<>/dev/tcp/10.9.9.9/80'
                (echo $BASHPID >/tmp/cgroup/small/cgroup.procs; exec tail /dev/zero)
                python3 -c 'import os; [os.sched_setaffinity(0, {i %% 2}) for i in range(%8$d + 1)]
                print(*(line.split()[-1] for line in open("/proc/self/sched") if "nr_migrations" in line))' >/tmp/moved
                mkfifo /tmp/fifo; timeout %d cat <>/tmp/fifo
                kill -STOP %7$d
                until grep -q '^State:.*T' /proc/%7$d/status; do sleep 0.1; done
                """.formatted(READS, WRITES, DATAGRAMS, REFUSED, MARKERS, READ_SECONDS, burner, MOVES))
                .orFail();
        burnerNanos =
                Double.parseDouble(guest.read("/proc/" + burner + "/schedstat").split(" ", -1)[0]);
    }

    @Test
    void shouldLoseNothing() {
        assertThat(published.metric("magnet_sensor_lost_rate").orElseThrow().number())
                .isZero();
        assertThat(published.metric("magnet_sensor_points_failed").orElseThrow().number())
                .isZero();
        assertThat(published.metric("magnet_sensor_detail_level").orElseThrow().number())
                .isEqualTo(2);
    }

    @Test
    void shouldCountBlockRequestsAsDiskstatsDoes() {
        assertThat(exactly.get("reads")).isEqualTo(READS);
        assertThat(exactly.get("writes")).isEqualTo(WRITES);
        assertExactly("magnet_block_reads_rate", READS);
        assertExactly("magnet_block_writes_rate", WRITES);
        assertExactly("magnet_block_read_bytes_rate", 512 * exactly.get("sectorsRead"));
        assertExactly("magnet_block_write_bytes_rate", 512 * exactly.get("sectorsWritten"));
        assertBucketsAddUp("magnet_block_request_bucket", READS + WRITES);
        assertThat(published.metric("magnet_block_read_max").orElseThrow().number())
                .isPositive();
    }

    /** The workload's receiver never reads, so that its buffer is soon full; gmond's may have been, too. */
    @Test
    void shouldCountDropsByReasonAsSnmpDoes() {
        assertThat(exactly.get("loadNoPorts")).isEqualTo(REFUSED);
        assertThat(exactly.get("NoPorts")).as("elsewhere").isZero();
        assertExactly("magnet_net_drops_no_socket_rate", REFUSED);
        long full = exactly.get("loadRcvbufErrors");
        assertThat(full).isBetween(1L, (long) DATAGRAMS);
        assertThat(count("magnet_net_drops_socket_buffer_rate"))
                .isBetween(full - 0.5, full + exactly.get("RcvbufErrors") + 0.5);
    }

    /** In the namespace there is nothing but a SYN that nobody answers; what is sent over loopback may be late, too. */
    @Test
    void shouldCountRetransmitsAsSnmpDoes() {
        long syns = exactly.get("loadRetransSegs");
        assertThat(syns).isPositive();
        assertThat(count("magnet_net_tcp_retransmits_rate"))
                .isBetween(syns - 0.5, syns + exactly.get("RetransSegs") + 0.5);
    }

    @Test
    void shouldCountOomKillsAsVmstatDoes() {
        assertThat(exactly.get("oomKills")).isEqualTo(1);
        assertExactly("magnet_memory_oom_kills_rate", 1);
    }

    /** A control group counts how often it was at its limit; each time the thread frees memory before it goes on. */
    @Test
    void shouldCountReclaimStallsAsTheKernelDoes() {
        assertThat(exactly.get("stalls")).isPositive();
        assertExactly("magnet_memory_reclaim_stalls_rate", exactly.get("stalls"));
        assertBucketsAddUp("magnet_memory_reclaim_stall_bucket", exactly.get("stalls"));
    }

    @Test
    void shouldCountMarkers() {
        assertExactly("magnet_user_markers_rate", MARKERS);
    }

    @Test
    void shouldCountSoftInterruptsOfEachKindAsTheKernelDoes() {
        for (String kind : List.of("TIMER", "NET_RX", "SCHED", "RCU", "TASKLET", "HRTIMER", "BLOCK")) {
            assertBetween("magnet_irq_soft_" + kind.toLowerCase(Locale.ROOT) + "_rate", kind);
        }
    }

    @Test
    void shouldCountHardInterruptsAsTheKernelDoes() {
        assertBetween("magnet_irq_hard_handlers_rate", "lines");
    }

    @Test
    void shouldCountContextSwitchesAsTheKernelDoes() {
        assertBetween("magnet_sched_context_switches_rate", "ctxt");
    }

    @Test
    void shouldCountMigrationsAsTheKernelsTracerDoes(Guest guest) {
        assertThat(Long.parseLong(guest.read("/tmp/moved").strip()))
                .as("the kernel's account of the thread that goes to and fro")
                .isBetween((long) MOVES, atLeast.get("migrations"));
        assertBetween("magnet_sched_migrations_rate", "migrations");
    }

    @Test
    void shouldCountProcessesAndThreadsAsTheKernelDoes() {
        double made = count("magnet_process_forks_rate") + count("magnet_process_threads_rate");
        assertThat(made).isBetween(atLeast.get("processes") - 1.0, atMost.get("processes") + 1.0);
    }

    @Test
    void shouldHaveTheProcessAmongTheFirstThatBurns() {
        int place = 1;
        while (place <= 3 && !text("magnet_top_cpu_" + place + "_process").equals("bash " + burner)) {
            place++;
        }
        assertThat(place).as("its place").isLessThanOrEqualTo(3);
        assertThat(published
                                .metric("magnet_top_cpu_" + place + "_value")
                                .orElseThrow()
                                .number()
                        / 100
                        * window()
                        * 1e9)
                .isCloseTo(burnerNanos, SAME);
    }

    @Test
    void shouldNameTheSlowestSystemCalls() {
        List<String> names = List.of(
                text("magnet_syscall_slowest_1_name"),
                text("magnet_syscall_slowest_2_name"),
                text("magnet_syscall_slowest_3_name"));
        assertThat(names).doesNotHaveDuplicates().contains("read");
        assertThat(published
                        .metric("magnet_syscall_slowest_1_max")
                        .orElseThrow()
                        .number())
                .as("a read waited for so long")
                .isGreaterThan(READ_SECONDS * 1e6);
        assertThat(count("magnet_syscall_calls_rate")).isGreaterThan(2.0 * READS + 2.0 * WRITES + DATAGRAMS);
        assertThat(sum("magnet_syscall_call_bucket")).isBetween(2.0 * READS, count("magnet_syscall_calls_rate"));
    }

    /**
     * Before the publication or after. Those that ask gmond are processes, too, and the kernel makes threads as it needs them and
     * ends them.
     */
    @Test
    void shouldKnowHowManyProcessesAreAlive() {
        assertThat(published.metric("magnet_process_alive_count").orElseThrow().number())
                .isBetween(Collections.min(alive) - 3.0, Collections.max(alive) + 4.0);
    }

    @Test
    void shouldHaveJourneysOfWhatWentOverLoopback() {
        for (String hop : List.of(
                "socket_to_device", "udp_receive_device_to_ip", "udp_receive_ip_to_udp", "tcp_send_socket_to_tcp")) {
            assertThat(published
                            .metric("magnet_journey_" + hop + "_max")
                            .orElseThrow()
                            .number())
                    .as(hop)
                    .isPositive();
        }
    }

    private static String text(String metric) {
        return published.metric(metric).orElseThrow().value();
    }

    private static double window() {
        return published.metric(WINDOW).orElseThrow().number();
    }

    private static double count(String rate) {
        return published.metric(rate).orElseThrow().number() * window();
    }

    private static double sum(String prefix) {
        return published.startingWith(prefix).stream()
                        .mapToDouble(GmondMetric::number)
                        .sum()
                * window();
    }

    private static void assertBucketsAddUp(String prefix, long all) {
        assertThat(published.startingWith(prefix)).hasSize(8);
        assertThat(sum(prefix)).isCloseTo((double) all, Offset.offset(0.5));
    }

    private static void assertExactly(String rate, long count) {
        double window = window();
        double perSecond = published.metric(rate).orElseThrow().number();
        assertThat(perSecond * window)
                .as(rate)
                .isCloseTo((double) count, Offset.offset(HALF_A_DIGIT * (perSecond + window) + HALF_A_DIGIT));
    }

    private static void assertBetween(String rate, String counter) {
        assertThat(count(rate))
                .as("%s and %s", rate, counter)
                .isBetween(atLeast.get(counter) - 0.5, atMost.get(counter) + 0.5);
    }
}
