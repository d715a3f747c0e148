// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one process causes, counted by the module and, in the same run, by a witness: the numbers are equal. */
@GuestTest
final class WitnessIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int COUNT = 1009;

    /** A point, its event, and the probe that bpftrace counts; the least that the work must have caused. */
    private record Witness(String point, int event, String probe, int atLeast) {}

    /**
     * None that an interrupt raises at any moment, like softirq_entry: bpftrace leaves out what is hit while another of its
     * programs runs on that CPU.
     */
    private static final List<Witness> WITNESSES = List.of(
            new Witness("sys_enter", 0x2c0, "tracepoint:raw_syscalls:sys_enter", COUNT),
            new Witness("sys_exit", 0x2c1, "tracepoint:raw_syscalls:sys_exit", COUNT),
            new Witness("page_fault_user", 0x180, "tracepoint:exceptions:page_fault_user", COUNT),
            new Witness("net_dev_start_xmit", 0x031, "tracepoint:net:net_dev_start_xmit", 2 * COUNT),
            new Witness("net_dev_xmit", 0x032, "tracepoint:net:net_dev_xmit", 2 * COUNT),
            new Witness("net_dev_receive", 0x041, "tracepoint:net:netif_rx_entry", 2 * COUNT),
            new Witness("kfree_skb", 0x070, "tracepoint:skb:kfree_skb", 1),
            new Witness("sched_switch", 0x110, "tracepoint:sched:sched_switch", COUNT / 100),
            new Witness("sched_process_fork", 0x120, "tracepoint:sched:sched_process_fork", COUNT / 100),
            new Witness("sched_process_exit", 0x122, "tracepoint:sched:sched_process_exit", 1),
            new Witness("tcp_sendmsg", 0x011, "kprobe:tcp_sendmsg", COUNT),
            new Witness("udp_sendmsg", 0x010, "kprobe:udp_sendmsg", COUNT));

    /** Interrupts do this, too, at any moment; the kernel's tracer leaves none out, see {@link #WITNESSES}. */
    private static final Witness WAKEUPS =
            new Witness("sched_wakeup", 0x111, "sched/sched_wakeup sched/sched_wakeup_new", COUNT / 100 + 1);

    /** A line of the tracer: thread, process, processor. */
    private static final Pattern TRACED = Pattern.compile("(?m)^.*-\\d+ +\\( *(\\d+)\\) +\\[\\d+\\] .*: sched_wakeup");

    private static final Pattern KEPT = Pattern.compile("entries-in-buffer/entries-written: (\\d+)/(\\d+)");
    private static final Pattern COUNTED = Pattern.compile("@(\\w+): (\\d+)");

    private final Guest guest;
    private Path folder = Path.of("");

    WitnessIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() throws IOException {
        KernelModule.load(guest);
        folder = Files.createTempDirectory(guest.share(), "witness-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldCountAsBpftraceDoes() throws IOException {
        assertCountedAsBpftraceDoes(WITNESSES);
    }

    @Test
    void shouldCountThreadsThatWakeAndNewOnesAsTheKernelsTracerDoes() throws IOException {
        guest.sh(LIMIT, """
                        cd %s; root=%s; tracer=/sys/kernel/tracing/instances/witness
                        mkdir $tracer && echo 16384 >$tracer/buffer_size_kb && echo 1 >$tracer/options/record-tgid || exit 1
                        ip link set lo up
                        mkfifo go
                        $root/build/tools/witness_load %d <go & work=$!; echo $work >pid
                        exec 3>go
                        $root/build/tools/magnet-read -p %s -s 16777216 -o . >magnet.txt & reader=$!
                        until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = 1 ]; do sleep 0.1; done
                        for event in %s; do echo 1 >$tracer/events/$event/enable || exit 1; done
                        echo >&3
                        wait $work || exit 1
                        echo 0 >$tracer/events/enable
                        kill -INT $reader; wait $reader || exit 1
                        cat $tracer/trace >trace.txt && rmdir $tracer
                        """.formatted(folder, "$MAGNET_ROOT", COUNT, WAKEUPS.point(), WAKEUPS.probe()))
                .orFail();

        String trace = Files.readString(folder.resolve("trace.txt"));
        Matcher kept = KEPT.matcher(trace);
        assertThat(kept.find()).isTrue();
        assertThat(kept.group(1)).as("the tracer kept all").isEqualTo(kept.group(2));
        String process = Files.readString(folder.resolve("pid")).strip();
        long witnessed = TRACED.matcher(trace)
                .results()
                .filter(line -> line.group(1).equals(process))
                .count();
        assertThat(Files.readString(folder.resolve("magnet.txt"))).doesNotContainPattern("dropped_\\w+ [1-9]");
        assertThat(logged(List.of(WAKEUPS))).isEqualTo(Map.of(WAKEUPS.point(), witnessed));
        assertThat(witnessed).isGreaterThanOrEqualTo(WAKEUPS.atLeast());
    }

    private void assertCountedAsBpftraceDoes(List<Witness> witnesses) throws IOException {
        String program = witnesses.stream()
                .map(w -> w.probe() + " /pid == $1/ { @" + w.point() + " = count(); }")
                .collect(Collectors.joining(" "));
        Files.writeString(folder.resolve("count.bt"), program + " interval:ms:200 { printf(\"there\\n\"); }\n");
        String points = witnesses.stream().map(w -> "-p " + w.point()).collect(Collectors.joining(" "));

        String log = guest.sh(LIMIT, """
                        cd %s; root=%s
                        ip link set lo up
                        mkfifo go
                        $root/build/tools/witness_load %d <go & work=$!; echo $work >pid
                        exec 3>go
                        bpftrace count.bt $work >bpftrace.txt 2>&1 & witness=$!
                        $root/build/tools/magnet-read %s -s 16777216 -o . >magnet.txt & reader=$!
                        until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = %d ]; do sleep 0.1; done
                        until grep -q there bpftrace.txt; do kill -0 $witness || exit 1; sleep 0.1; done
                        echo >&3
                        wait $work || exit 1
                        kill -INT $witness; wait $witness
                        kill -INT $reader; wait $reader || exit 1
                        cat magnet.txt bpftrace.txt
                        """.formatted(folder, "$MAGNET_ROOT", COUNT, points, witnesses.size()))
                .orFail()
                .stdout();

        Map<String, Long> witnessed = new TreeMap<>();
        Matcher matcher = COUNTED.matcher(log);
        while (matcher.find()) {
            witnessed.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        assertThat(log).doesNotContainPattern("dropped_\\w+ [1-9]");
        assertThat(witnessed).hasSize(witnesses.size());
        assertThat(logged(witnesses)).isEqualTo(witnessed);
        assertThat(witnesses)
                .allSatisfy(
                        w -> assertThat(witnessed.get(w.point())).as(w.point()).isGreaterThanOrEqualTo(w.atLeast()));
    }

    /** Events of the process, by point. */
    private Map<String, Long> logged(List<Witness> witnesses) throws IOException {
        Map<Integer, Map<String, Long>> byProcess = new TreeMap<>();
        Map<Integer, String> names = witnesses.stream().collect(Collectors.toMap(Witness::event, Witness::point));
        try (var files = Files.newDirectoryStream(folder, "cpu*.raw")) {
            for (Path file : files) {
                ByteBuffer raw = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
                for (int at = 0; at < raw.limit(); at += raw.getInt(at)) {
                    String name = names.get(raw.getShort(at + 6) & 0xffff);
                    if (name != null) {
                        byProcess
                                .computeIfAbsent(raw.getInt(at + 8), process -> new TreeMap<>())
                                .merge(name, 1L, Long::sum);
                    }
                }
            }
        }
        int process = Integer.parseInt(Files.readString(folder.resolve("pid")).strip());
        return byProcess.getOrDefault(process, Map.of());
    }
}
