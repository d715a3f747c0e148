// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What magnetd publishes at level full agrees with what bpftrace finds out about the same work by the methods of its
 * runqlat and biolatency, by the same tracepoints and functions but by code that is nobody of ours. Of counts, which are
 * the whole machine's, the numbers lie between two of the witness's that differ by what the machine does at rest. The
 * guest's clock counts instructions: what lies between two probes of one event is the same on any host.
 */
@GuestTest(icount = true)
final class BpftraceAgreementIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int READS = 211;
    private static final int WRITES = 53;
    /** Pages that have to be read, one by one. */
    private static final int MAJOR_FAULTS = 41;

    private static final int FLUSHES = 23;
    private static final int DISCARDS = 19;
    private static final int FAILED_READS = 17;
    /** Pages that a child writes to after its parent. */
    private static final int COPIES = 307;

    private static final int FAULTS = 1_009;
    private static final int ERRORS = 503;
    private static final int PROGRAMS = 53;
    private static final int THREADS = 29;
    /** How long requests take by the device itself: two devices, so that reads and writes take differently long. */
    private static final int READ_MICROS = 500;

    private static final int WRITE_MICROS = 6_000;
    /** Longer than anything waits while bpftrace starts, which it does not see itself; shorter than what real time may take. */
    private static final int HOG_MICROS = 600_000;

    private static final double LATE_MICROS = 700_000;
    /** No thread of magnetd's or bpftrace's lets a CPU idle so long. */
    private static final double IDLE_MICROS = 200_000;

    private static final String CONFIG = TeeingMagnetd.config("16M");
    /**
     * Requests to disks; pages that are written after a fork, and a file that is larger than its reader's memory may be; a
     * CPU that has nothing to do, as both that watch stand still; two that want it, and then one that takes it from both;
     * programs that start and touch pages.
     */
    private static final String WAITS = """
            dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=%d status=none
            dd if=/dev/zero of=/dev/nullb1 oflag=direct bs=8k count=%d status=none
            build/tools/touch_pages /dev/nullb0 %d >/tmp/majors
            integration-tests/workload/odd_requests.py /dev/nullb2 %d %d %d
            python3 -c '
            import mmap, os
            pages = mmap.mmap(-1, %d * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
            pages.madvise(mmap.MADV_NOHUGEPAGE)
            for of in "parent", "child":
                for page in range(0, len(pages), mmap.PAGESIZE):
                    pages[page] = 1
                if of == "parent" and os.fork():
                    os.wait()
                    break'
            (echo $BASHPID >/tmp/cgroup/small/cgroup.procs; exec dd if=/dev/ram0 of=/dev/null bs=64k status=none)
            awk '$1 == "pgsteal" { print $2 }' /tmp/cgroup/small/memory.stat >/tmp/reclaimed
            watching=(-%d $(pidof bpftrace))
            kill -STOP -- "${watching[@]}"; sleep 1; kill -CONT -- "${watching[@]}"
            hogs=()
            for i in 1 2; do bash -c 'while :; do :; done' & hogs+=($!); done
            for hog in "${hogs[@]}"; do
                until [ "$(cut -d' ' -f14 /proc/$hog/stat)" -gt 5 ] || [ ! -e /proc/$hog ]; do sleep 0.05; done
            done
            chrt -f 50 bash -c 'now() { t=${EPOCHREALTIME/./}; }
                now; end=$((t + %d)); while ((t < end)); do now; done'
            kill "${hogs[@]}"
            echo | build/tools/witness_load %d
            wait
            """;
    /** The open of a fifo waits for its other end; a receiver that stands still gets its datagrams late. */
    private static final String CALLS = """
            rm -f /tmp/late /tmp/nothing; mkfifo /tmp/late
            (sleep 1.4; echo >/tmp/late) & cat /tmp/late
            for ((i = 0; i < %d; i++)); do [ ! -e /tmp/nothing ] || exit; done
            for ((i = 0; i < %d; i++)); do /bin/true; done
            python3 -c 'import threading; [threading.Thread(target=int).start() for i in range(%d)]'
            build/tools/udp_stream receive 5001 4 >/tmp/received & receiver=$!
            until grep -q ':1389 ' /proc/net/udp6; do sleep 0.05; done
            build/tools/udp_stream send 127.0.0.1 5001 500 200 1
            kill -STOP $receiver
            build/tools/udp_stream send ::1 5001 500 10 1
            kill -CONT $receiver
            wait $receiver
            """;

    /** A control group that has less than the disk holds. */
    private static final String LITTLE_MEMORY = """
            modprobe brd rd_nr=1 rd_size=32768
            until [ -b /dev/ram0 ]; do sleep 0.1; done
            mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup
            echo +memory >/tmp/cgroup/cgroup.subtree_control
            mkdir /tmp/cgroup/small && echo 8M >/tmp/cgroup/small/memory.max
            """;

    private static final String DATAGRAMS = """
            cat /proc/net/snmp /proc/net/snmp6 | awk '/^Udp: [0-9]/ { n += $2 } $1 == "Udp6InDatagrams" { n += $2 } END { print n }'
            """;

    private static Optional<Witnessed> waits = Optional.empty();
    private static Optional<Witnessed> calls = Optional.empty();
    private static long datagrams;

    @BeforeAll
    static void workBeforeWitnesses(Guest guest) {
        KernelModule.load(guest);
        SlowDisk.make(guest, "nullb0", READ_MICROS);
        SlowDisk.make(guest, "nullb1", WRITE_MICROS);
        SlowDisk.makeOdd(guest, "nullb2", READ_MICROS);
        guest.sh(LIMIT, LITTLE_MEMORY).orFail();
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            waits = Optional.of(Witnessed.by(
                    guest,
                    "waits.bt",
                    magnetd.windows(),
                    () -> guest.sh(LIMIT, waits(magnetd.magnetd())).orFail()));
            long before = datagrams(guest);
            calls = Optional.of(Witnessed.by(
                    guest,
                    "calls.bt",
                    magnetd.windows(),
                    () -> guest.sh(LIMIT, CALLS.formatted(ERRORS, PROGRAMS, THREADS))
                            .orFail()));
            datagrams = datagrams(guest) - before;
            magnetd.stop();
        }
    }

    private static String waits(Magnetd magnetd) {
        return WAITS.formatted(
                READS,
                WRITES,
                MAJOR_FAULTS,
                FLUSHES,
                DISCARDS,
                FAILED_READS,
                COPIES,
                magnetd.pid(),
                HOG_MICROS + 100_000,
                FAULTS);
    }

    private static long datagrams(Guest guest) {
        return Long.parseLong(guest.sh(DATAGRAMS).orFail().stdout().strip());
    }

    @Test
    void shouldLoseNothing() {
        assertThat(calls().growth().to().value("magnet_sensor_lost_rate")).isZero();
        assertThat(calls().growth().to().value("magnet_sensor_points_failed")).isZero();
    }

    @Test
    void shouldMeasureRunQueueWaitsAsRunqlatDoes() {
        waits().assertCount("magnet_sched_context_switches_rate", "switches");
        waits().assertTimes("magnet_sched_run_queue_wait_bucket", "wait");
        waits().assertLongest("magnet_sched_run_queue_wait_max", "wait_max", HOG_MICROS);
    }

    @Test
    void shouldMeasureTimeSlicesAsBpftraceDoes() {
        waits().assertCount("magnet_sched_preemptions_rate", "preemptions");
        waits().assertTimes("magnet_sched_time_slice_bucket", "slice");
        waits().assertMax("magnet_sched_time_slice_max", "slice_max");
    }

    @Test
    void shouldMeasureIdleGapsAsBpftraceDoes() {
        waits().assertTimes("magnet_sched_idle_gap_bucket", "idle");
        waits().assertLongest("magnet_sched_idle_gap_max", "idle_max", IDLE_MICROS);
    }

    @Test
    void shouldMeasureBlockRequestsAsBiolatencyDoes() {
        int reads = READS + MAJOR_FAULTS + FAILED_READS;
        assertThat(waits().innerAll("read")).isEqualTo(reads);
        assertThat(waits().innerAll("write")).isEqualTo(WRITES);
        assertThat(waits().growth().count("magnet_block_reads_rate")).isEqualTo(reads);
        assertThat(waits().growth().count("magnet_block_writes_rate")).isEqualTo(WRITES);
        waits().assertTimes("magnet_block_request_bucket", "read", "write", "other");
        waits().assertMax("magnet_block_read_max", "read_max");
        waits().assertMax("magnet_block_write_max", "write_max");
        assertThat(waits().growth().max("magnet_block_read_p50")).isGreaterThan(READ_MICROS);
        assertThat(waits().growth().max("magnet_block_write_p50")).isGreaterThan(WRITE_MICROS);
    }

    /** A flush comes back twice: once by itself, once as the write of nothing that asked for it. */
    @Test
    void shouldCountFlushesDiscardsAndFailuresAsBpftraceDoes() {
        assertThat(waits().innerAll("other")).isEqualTo(FLUSHES + DISCARDS);
        assertThat(waits().inner("failed")).isEqualTo(FAILED_READS);
        assertThat(waits().growth().count("magnet_block_others_rate")).isEqualTo(FLUSHES + DISCARDS);
        assertThat(waits().growth().count("magnet_block_errors_rate")).isEqualTo(FAILED_READS);
    }

    @Test
    void shouldAddUpTheTimeThatRequestsTakeAsBpftraceDoes() {
        double micros = waits().inner("in_device") / 1e3;
        long requests = waits().growth().atLeast("magnet_block_request_bucket", 0);
        assertThat(micros).isGreaterThan(READS * READ_MICROS + WRITES * WRITE_MICROS);
        assertThat(waits().growth().totalMicros("magnet_block_depth_mean"))
                .isCloseTo(micros, Offset.offset(requests * Witnessed.PROBES.value));
    }

    @Test
    void shouldCountPageFaultsAsBpftraceDoes() {
        waits().assertCount("magnet_memory_user_faults_rate", "user_faults");
        waits().assertCount("magnet_memory_write_faults_rate", "write_faults");
        waits().assertCount("magnet_memory_kernel_faults_rate", "kernel_faults");
        waits().assertCount("magnet_memory_protection_faults_rate", "protection_faults");
        assertThat(waits().inner("write_faults")).isGreaterThan(FAULTS);
        assertThat(waits().inner("protection_faults")).isGreaterThan(COPIES);
    }

    @Test
    void shouldMeasureMajorFaultsAsBpftraceDoes(Guest guest) {
        assertThat(guest.read("/tmp/majors").strip()).as("ru_majflt").isEqualTo(Integer.toString(MAJOR_FAULTS));
        waits().assertTimes("magnet_memory_major_fault_bucket", "major");
        assertThat(waits().innerAll("major")).isGreaterThanOrEqualTo(MAJOR_FAULTS);
        assertThat(waits().growth().max("magnet_memory_major_fault_max"))
                .as("the witness's own start has longer ones, which it does not see")
                .isGreaterThan(READ_MICROS)
                .isGreaterThan(waits().maxMicros("major_max") - Witnessed.PROBES.value);
        assertThat(waits().growth().count("magnet_memory_major_faults_rate"))
                .isEqualTo(waits().growth().atLeast("magnet_memory_major_fault_bucket", 0));
    }

    /** The control group counts pages, and not what else was freed. */
    @Test
    void shouldMeasureReclaimAsBpftraceDoes(Guest guest) {
        waits().assertTimes("magnet_memory_reclaim_stall_bucket", "stall");
        waits().assertMax("magnet_memory_reclaim_stall_max", "stall_max");
        waits().assertCount("magnet_memory_reclaimed_pages_rate", "reclaimed");
        assertThat(waits().inner("reclaimed"))
                .isGreaterThanOrEqualTo(
                        Long.parseLong(guest.read("/tmp/reclaimed").strip()))
                .isPositive();
    }

    @Test
    void shouldMeasureSystemCallsAsBpftraceDoes() {
        calls().assertCount("magnet_syscall_calls_rate", "calls");
        calls().assertCount("magnet_syscall_errors_rate", "errors");
        calls().assertTimes("magnet_syscall_call_bucket", "call");
        assertThat(calls().inner("errors")).isGreaterThan(ERRORS);
    }

    @Test
    void shouldCountProcessesAndProgramsAsBpftraceDoes() {
        calls().assertCount("magnet_process_forks_rate", "forks");
        calls().assertCount("magnet_process_threads_rate", "threads");
        calls().assertCount("magnet_process_execs_rate", "execs");
        calls().assertCount("magnet_process_exits_rate", "exits");
        assertThat(List.of(calls().inner("forks"), calls().inner("execs"), calls().inner("exits")))
                .as("the work has them")
                .allMatch(count -> count > PROGRAMS);
        assertThat(calls().inner("threads")).isGreaterThanOrEqualTo(THREADS);
    }

    /** Nothing else opens anything that takes so long. */
    @Test
    void shouldFindTheSlowestSystemCallAsBpftraceDoes() {
        TeeWindow window = calls().growth().to();
        String place = IntStream.rangeClosed(1, 3)
                .mapToObj(i -> "magnet_syscall_slowest_" + i)
                .filter(name -> window.text(name + "_name").equals("openat"))
                .findFirst()
                .orElseThrow();

        calls().assertLongest(place + "_max", "longest[257]", LATE_MICROS);
    }

    @Test
    void shouldFollowDatagramsInAsBpftraceDoes() {
        assertThat(calls().innerAll("device_to_program")).isEqualTo(datagrams);
        assertThat(calls().growth().count("magnet_net_socket_receive_packets_rate"))
                .isEqualTo(datagrams);
        calls().assertTimes("magnet_journey_udp_receive_device_to_program_bucket", "device_to_program");
        calls().assertMax("magnet_journey_udp_receive_queue_to_program_max", "queue_to_program_max");
        calls().assertLongest("magnet_journey_udp_receive_device_to_program_max", "device_to_program_max", LATE_MICROS);
    }

    private static Witnessed waits() {
        return waits.orElseThrow();
    }

    private static Witnessed calls() {
        return calls.orElseThrow();
    }
}
