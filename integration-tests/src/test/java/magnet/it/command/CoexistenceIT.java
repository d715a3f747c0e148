// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** perf, bpftrace and the kernel's own tracer at the same points at the same time: each sees all that there is. */
@GuestTest(turns = true, peers = true)
@ExtendWith(LoadedModule.class)
@Tag("stock")
@Tag("long")
final class CoexistenceIT {
    private static final Duration LIMIT = Duration.ofMinutes(6);
    /** Their events' numbers. */
    private static final Map<Integer, String> POINTS =
            Map.of(0x2c0, "sys_enter", 0x2c1, "sys_exit", 0x010, "udp_sendmsg");

    private static final Pattern OF_BPFTRACE = Pattern.compile("@(\\w+): (\\d+)");
    private static final Pattern OF_PERF = Pattern.compile("(?m)^(\\d+),,\\w+:(\\w+),.*,100\\.00,");
    private static final Pattern OF_TRACER = Pattern.compile("(?m)\\[\\d+\\] .*?: (\\w+)(?=[:(])");
    private static final Pattern SENT = Pattern.compile("sent (\\d+) refused (\\d+)");

    /** All of them are there before the work, stopped until then, does its first system call. */
    private static final String COUNT = """
            cd %s; root=$MAGNET_ROOT; tracing=/sys/kernel/tracing; tracer=$tracing/instances/witness
            ip link set lo up
            echo 'p:witness/udp_sendmsg udp_sendmsg' >>$tracing/kprobe_events || exit 1
            bash -c 'kill -STOP $$; exec "$@"' work $root/build/tools/udp_stream send 127.0.0.1 9 64 500 2 >sent.txt & work=$!
            until grep -q '^State:.T' /proc/$work/status; do sleep 0.1; done
            echo $work >pid
            $root/build/tools/magnet-read -p sys_enter -p sys_exit -p udp_sendmsg -s 16777216 -o . >magnet.txt & reader=$!
            bpftrace -e 'tracepoint:raw_syscalls:sys_enter /tid == $1/ { @sys_enter = count(); }
                tracepoint:raw_syscalls:sys_exit /tid == $1/ { @sys_exit = count(); }
                kprobe:udp_sendmsg /tid == $1/ { @udp_sendmsg = count(); }
                interval:ms:200 { printf("there\\n"); }' $work >bpftrace.txt 2>&1 & bpftrace=$!
            mkfifo control answer
            perf stat -x , -o perf.txt -D -1 --control fifo:control,answer --no-inherit \
                -e raw_syscalls:sys_enter,raw_syscalls:sys_exit,witness:udp_sendmsg -p $work 2>perf-errors.txt & perf=$!
            exec 3>control 4<answer
            echo enable >&3
            read -r said <&4 || exit 1
            mkdir $tracer && echo 16384 >$tracer/buffer_size_kb && echo $work >$tracer/set_event_pid || exit 1
            for event in raw_syscalls/sys_enter raw_syscalls/sys_exit witness/udp_sendmsg; do
                echo 1 >$tracer/events/$event/enable || exit 1
            done
            until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = 3 ]; do sleep 0.1; done
            until grep -q there bpftrace.txt; do kill -0 $bpftrace || exit 1; sleep 0.1; done
            kill -CONT $work
            wait $work || exit 1
            wait $perf || exit 1
            kill -INT $bpftrace; wait $bpftrace
            kill -INT $reader; wait $reader || exit 1
            echo 0 >$tracer/events/enable; cat $tracer/trace >trace.txt; rmdir $tracer
            echo '-:witness/udp_sendmsg' >>$tracing/kprobe_events
            """;

    private final Guest guest;

    CoexistenceIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldCountWhatPerfBpftraceAndTheKernelsTracerCountAtTheSamePoints() throws IOException {
        Path folder = Files.createTempDirectory(guest.share(), "coexistence-");

        guest.sh(LIMIT, COUNT.formatted(folder)).orFail();

        Map<String, Long> logged = logged(folder);
        assertThat(Files.readString(folder.resolve("magnet.txt"))).doesNotContainPattern("dropped_\\w+ [1-9]");
        assertThat(found(OF_BPFTRACE, folder.resolve("bpftrace.txt"), 1, 2)).isEqualTo(logged);
        assertThat(found(OF_PERF, folder.resolve("perf.txt"), 2, 1)).isEqualTo(logged);
        Map<String, Long> traced = OF_TRACER
                .matcher(Files.readString(folder.resolve("trace.txt")))
                .results()
                .collect(Collectors.toMap(line -> line.group(1), line -> 1L, Long::sum));
        assertThat(traced).isEqualTo(logged);
        MatchResult sent = SENT.matcher(Files.readString(folder.resolve("sent.txt")))
                .results()
                .findFirst()
                .orElseThrow();
        assertThat(logged).containsEntry("udp_sendmsg", Long.parseLong(sent.group(1)) + Long.parseLong(sent.group(2)));
    }

    private static Map<String, Long> found(Pattern pattern, Path file, int name, int count) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .collect(Collectors.toMap(
                        line -> line.group(name), line -> Long.valueOf(line.group(count)), Long::sum, TreeMap::new));
    }

    /** What the thread caused. */
    private static Map<String, Long> logged(Path folder) throws IOException {
        int thread = Integer.parseInt(Files.readString(folder.resolve("pid")).strip());
        Map<String, Long> logged = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "cpu*.raw")) {
            for (Path file : files) {
                ByteBuffer raw = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
                for (int at = 0; at < raw.limit(); at += raw.getInt(at)) {
                    String name = POINTS.get(raw.getShort(at + 6) & 0xffff);
                    if (name != null && raw.getInt(at + 8) == thread) {
                        logged.merge(name, 1L, Long::sum);
                    }
                }
            }
        }
        return logged;
    }
}
