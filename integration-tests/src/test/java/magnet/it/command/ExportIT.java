// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.HostShell;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An export has what the kernel itself counts, and what babeltrace2 finds in the saved trace. */
@GuestTest
final class ExportIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int DATAGRAMS = 1_009;
    private static final int SLEEPS = 211;
    private static final long SLEEP_NS = 5_000_000;
    private static final int CLOCK_NANOSLEEP = 230;
    private static final List<String> WAY = List.of(
            "socket",
            "UDP and TCP, out",
            "IP, out",
            "device queue",
            "driver",
            "receive queue",
            "device, in",
            "IP, in",
            "UDP and TCP, in",
            "socket queue",
            "received by program");
    /** What logs beside the points, for the owners' sake alone: babeltrace2 shows it. */
    private static final Pattern TELLS_OWNERS = Pattern.compile("task_attach |cgroup_mkdir |cgroup_rmdir ");

    private static final List<String> POINTS = List.of(
            "sched_switch",
            "sys_enter",
            "sys_exit",
            "marker",
            "inet_sendmsg",
            "udp_sendmsg",
            "ip_send_skb",
            "dev_queue_xmit",
            "net_dev_start_xmit",
            "net_dev_xmit",
            "net_dev_receive",
            "netif_receive_skb",
            "ip_local_deliver",
            "udp_rcv",
            "udp_enqueue",
            "skb_consume_udp");
    /**
     * A thread that nothing but its own sleeps takes off its CPU; the kernel counts how often that was. time.sleep() asks for
     * an instant, which may be over when it gets to ask: the guest's machine may stand still for milliseconds.
     */
    private static final String SLEEPER = """
            import ctypes, os, resource, time
            class Timespec(ctypes.Structure):
                _fields_ = [("seconds", ctypes.c_long), ("nanos", ctypes.c_long)]
            sleep, length = ctypes.CDLL(None).clock_nanosleep, ctypes.byref(Timespec(0, %2$d))
            os.sched_setaffinity(0, {1})
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
            marker = os.open("/dev/magnet/marker", os.O_WRONLY)
            def switches():
                usage = resource.getrusage(resource.RUSAGE_THREAD)
                return usage.ru_nvcsw + usage.ru_nivcsw
            os.write(marker, b"sleeper begins")
            before = switches()
            for i in range(%1$d):
                sleep(time.CLOCK_MONOTONIC, 0, length, None)
            after = switches()
            os.write(marker, b"sleeper ends")
            print(os.getpid(), after - before)
            """.formatted(SLEEPS, SLEEP_NS);

    private static final String SENDER = """
            import socket
            receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            receiver.bind(("127.0.0.1", 0))
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for i in range(%d):
                sender.sendto(b"magnet", receiver.getsockname())
                receiver.recv(100)
            """.formatted(DATAGRAMS);

    private static final Pattern EVENT = Pattern.compile("\\[\\d+] \\S+ (\\w+): \\{ cpu_id = (\\d+) }.*");

    /** Has the trace that all tests export. */
    private static Path folder = Path.of("");

    private final Guest guest;

    ExportIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void save(Guest guest) throws IOException {
        folder = Files.createTempDirectory(guest.share(), "export-");
        Files.writeString(folder.resolve("sleeper.py"), SLEEPER);
        Files.writeString(folder.resolve("sender.py"), SENDER);
        KernelModule.load(guest);
        guest.sh(LIMIT, """
                        cd %s; magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                        ip netns add export || exit 1
                        trap 'ip netns del export' EXIT
                        ip -n export link set lo up
                        env --default-signal=INT $magnet read %s --buffer-size 16M -o trace 2>err.txt & reader=$!
                        until grep -q saving err.txt; do kill -0 $reader || { cat err.txt; exit 1; }; sleep 0.1; done
                        python3 sleeper.py >sleeper.txt || exit 1
                        ip netns exec export python3 sender.py || exit 1
                        ip netns exec export awk '$1 == "Udp:" && $2 ~ /[0-9]/ { print $2, $5 }' /proc/net/snmp >udp.txt
                        kill -INT $reader
                        wait $reader || { cat err.txt; exit 1; }
                        babeltrace2 --clock-cycles --no-delta trace >events.txt 2>warnings.txt || exit 1
                        """.formatted(folder, POINTS.stream().map("-p "::concat).collect(Collectors.joining(" "))))
                .orFail();
        assertThat(text("err.txt")).contains("none were lost");
        KernelModule.remove(guest);
    }

    @Test
    void shouldShowWhatTheKernelCounted() throws IOException {
        HostShell.run(folder, LIMIT, "$MAGNET export trace -o x.perfetto-trace 2>told.txt")
                .orFail();
        PerfettoFile export = PerfettoFile.read(folder.resolve("x.perfetto-trace"));
        Map<String, Long> witness = eventsByNameAndCpu();

        assertSwitches(export, witness);
        assertSleeper(export);
        assertJourneys(export);
        long events = witness.entrySet().stream()
                .filter(each -> !each.getKey().startsWith("clock "))
                .filter(each -> !TELLS_OWNERS.matcher(each.getKey()).lookingAt())
                .mapToLong(Map.Entry::getValue)
                .sum();
        assertThat(text("told.txt")).startsWith("magnet: " + events + " events exported, 0 lost: ");
        assertThat(export.values.stream()
                        .filter(value -> value.name().startsWith("events/s, CPU "))
                        .mapToLong(PerfettoFile.Value::value)
                        .sum())
                .as("per second, in tenths of one")
                .isEqualTo(10 * events);
    }

    /** Each is there, and who leaves a CPU is who last entered it, so slices do not overlap. */
    private static void assertSwitches(PerfettoFile export, Map<String, Long> witness) {
        Map<Integer, Long> running = new HashMap<>();
        Map<Integer, Long> counts = new HashMap<>();
        for (PerfettoFile.Switch each : export.switches) {
            Long before = running.put(each.cpu(), each.entering());
            assertThat(before == null || before == each.leaving())
                    .as("%s", each)
                    .isTrue();
            counts.merge(each.cpu(), 1L, Long::sum);
        }
        assertThat(counts.get(0)).isEqualTo(witness.get("sched_switch 0")).isPositive();
        assertThat(counts.get(1)).isEqualTo(witness.get("sched_switch 1")).isGreaterThan(SLEEPS);
    }

    private void assertSleeper(PerfettoFile export) {
        String[] counted = text("sleeper.txt").strip().split(" ", 2);
        long tid = Long.parseLong(counted[0]);
        long begin = export.markers.get("sleeper begins");
        long end = export.markers.get("sleeper ends");
        List<PerfettoFile.Switch> left = export.switches.stream()
                .filter(each -> each.leaving() == tid && each.ns() > begin && each.ns() < end)
                .toList();
        assertThat(left).hasSize(Integer.parseInt(counted[1])).hasSizeGreaterThanOrEqualTo(SLEEPS);
        assertThat(left).allMatch(each -> each.cpu() == 1);
        assertThat(left.stream().filter(each -> each.state() == 1).count())
                .as("sleeps can be interrupted")
                .isEqualTo(SLEEPS);
        List<PerfettoFile.Call> sleeps = export.calls.stream()
                .filter(call -> call.tid() == tid && call.number() == CLOCK_NANOSLEEP && call.begin() > begin)
                .toList();
        assertThat(sleeps).hasSize(SLEEPS).allMatch(call -> call.end() < end && call.end() - call.begin() >= SLEEP_NS);
    }

    private void assertJourneys(PerfettoFile export) {
        assertThat(text("udp.txt").strip()).isEqualTo(DATAGRAMS + " " + DATAGRAMS);
        Map<Long, List<PerfettoFile.Hop>> flows = export.hops.stream()
                .filter(hop -> hop.flow() != 0)
                .sorted(Comparator.comparingLong(PerfettoFile.Hop::begin).thenComparingLong(PerfettoFile.Hop::end))
                .collect(Collectors.groupingBy(PerfettoFile.Hop::flow));
        List<List<PerfettoFile.Hop>> received = flows.values().stream()
                .filter(hops -> hops.get(hops.size() - 1).name().equals("received by program"))
                .toList();
        assertThat(received).hasSize(DATAGRAMS);
        for (List<PerfettoFile.Hop> hops : received) {
            assertThat(hops).extracting(PerfettoFile.Hop::name).isEqualTo(WAY);
            for (int i = 1; i < hops.size(); i++) {
                assertThat(hops.get(i).begin()).isEqualTo(hops.get(i - 1).end());
            }
        }
    }

    @Tag("long")
    @Test
    void shouldLeaveNothingOnAFullDisk() {
        GuestResult result = guest.sh(LIMIT, """
                mkdir -p /tmp/full && mount -t tmpfs -o size=64k full /tmp/full || exit 3
                trap 'umount /tmp/full' EXIT
                magnet=sensor-java/bin/magnet
                $magnet export %1$s/trace -o /tmp/full/x 2>&1; echo "exit $?"
                $magnet filter %1$s/trace -o /tmp/full/t log 2>&1 | sed 's/cpu[0-9]/cpuN/'; echo "exit ${PIPESTATUS[0]}"
                ls /tmp/full
                $magnet export %1$s/trace -o - 2>&1 >/dev/full; echo "exit $?"
                $magnet export %1$s/trace -o - 2>%1$s/told.txt | head -c 100 | wc -c; echo "exit ${PIPESTATUS[0]}"
                """.formatted(folder)).orFail();
        assertThat(result.stdout().lines())
                .containsExactly(
                        "magnet: /tmp/full/x: No space left on device; the incomplete export is removed",
                        "exit 1",
                        "magnet: /tmp/full/t/cpuN: No space left on device; the incomplete trace is removed",
                        "exit 1",
                        "magnet: cannot write what was asked for: No space left on device",
                        "exit 1",
                        "100",
                        "exit 0");
        assertThat(text("told.txt")).isEmpty();
    }

    private Map<String, Long> eventsByNameAndCpu() {
        return text("events.txt")
                .lines()
                .map(EVENT::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.groupingBy(
                        matcher -> matcher.group(1) + " " + Integer.parseInt(matcher.group(2)), Collectors.counting()));
    }

    private static String text(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
