// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The words that {@code magnet read} has for numbers are those of strace and of the kernel's own tracer. */
@GuestTest
final class WordsIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int SLEEPS = 11;
    private static final int READS = 7;
    private static final int WRITES = 5;
    private static final int UNHEARD = 13;

    /** What ps calls the states of a thread that leaves its CPU; one that ended is a zombie until somebody asks for it. */
    private static final Map<String, String> STATES = Map.of(
            "R", "runnable",
            "R+", "preempted",
            "S", "sleeping",
            "D", "disk_sleep",
            "T", "stopped",
            "t", "tracing_stop",
            "X", "dead",
            "Z", "dead",
            "I", "idle");

    /** Begins when it is told to: sleeps, reads and writes. */
    private static final String PROGRAM = """
            import mmap, os, time
            open("pid", "w").write(str(os.getpid()))
            os.rename("pid", "program.pid")
            go = os.open("go", os.O_RDONLY)
            os.read(go, 1)
            for i in range(%d):
                time.sleep(0.003)
            zero, null = os.open("/dev/zero", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
            page = mmap.mmap(-1, 4096)
            for i in range(%d):
                os.readv(zero, [page])
            for i in range(%d):
                os.writev(null, [page])
            """.formatted(SLEEPS, READS, WRITES);

    private static final Pattern CALL = Pattern.compile("(?m)^(\\d+) +(\\w+)\\(");
    private static final Pattern SWITCH =
            Pattern.compile("sched_switch: .* prev_pid=(\\d+) prev_prio=\\d+ prev_state=(\\S+) ==>");
    private static final Pattern RECLAIM =
            Pattern.compile("-(\\d+) +\\[\\d+\\].* mm_vmscan_memcg_reclaim_begin: .*gfp_flags=(\\S+)");
    private static final Pattern SOFTIRQ = Pattern.compile("softirq_entry: vec=(\\d+) \\[action=(\\w+)]");

    /** Begins to read; the kernel's tracer has begun before. */
    private static final String BEGIN = """
            begin() {
                tracer=/sys/kernel/tracing/instances/words
                mkdir $tracer && echo 16384 >$tracer/buffer_size_kb || exit 1
                for event in $1; do echo 1 >$tracer/events/$event/enable || exit 1; done
                env --default-signal=INT $MAGNET_ROOT/sensor-java/bin/magnet read --json $2 "${@:4}" >events.txt 2>err.txt &
                reader=$!
                for point in $3; do
                    until grep -q "^[^ ]* $point .*=on" /sys/kernel/debug/magnet/control/events; do
                        kill -0 $reader || { cat err.txt >&2; exit 1; }
                        sleep 0.1
                    done
                done
            }
            end() {
                kill -INT $reader; wait $reader || { cat err.txt >&2; exit 1; }
                echo 0 >$tracer/events/enable
                cat $tracer/trace >trace.txt && rmdir $tracer
            }
            """;

    private final Guest guest;
    private Path folder = Path.of("");

    WordsIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() throws IOException {
        KernelModule.load(guest);
        folder = Files.createTempDirectory(guest.share(), "words-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldNameSystemCallsAsStraceDoesAndStatesAsTheKernelsTracerDoes() throws IOException {
        Files.writeString(folder.resolve("program.py"), PROGRAM);
        guest.sh(LIMIT, BEGIN + """
                        cd %s
                        mkfifo go
                        strace -f -o strace.txt python3 program.py & program=$!
                        until [ -e program.pid ]; do kill -0 $program || exit 1; sleep 0.1; done
                        begin sched/sched_switch "-p sched_switch -p sys_enter" "sched_switch sys_enter" \
                            --filter "drop if tgid != $(<program.pid)"
                        exec 3>go; echo >&3
                        wait $program || exit 1
                        end
                        """.formatted(folder)).orFail();

        String program = text("program.pid");
        List<JsonObject> events = events();
        assertThat(text("err.txt")).contains("none were lost");
        List<String> calls = words(events, "sys_enter", "nr", false);
        assertThat(second(CALL, text("strace.txt"), program)).endsWith(calls.toArray(new String[0]));
        assertThat(calls).contains("clock_nanosleep").endsWith("exit_group");
        assertThat(calls).filteredOn("readv"::equals).hasSize(READS);
        assertThat(calls).filteredOn("writev"::equals).hasSize(WRITES);

        List<String> states = words(events, "sched_switch", "prev_state", true);
        assertThat(second(SWITCH, text("trace.txt"), program).stream().map(STATES::get))
                .endsWith(states.toArray(new String[0]));
        assertThat(states).contains("sleeping", "tracing_stop").endsWith("dead");
    }

    @Test
    void shouldNameFlagsSoftInterruptsReasonsAndOperationsAsTheKernelDoes() {
        guest.sh(LIMIT, BEGIN + """
                        cd %1$s
                        modprobe null_blk nr_devices=1 gb=1
                        until [ -b /dev/nullb0 ]; do sleep 0.1; done
                        unheard() { awk '$1 == "Udp:" && $3 ~ /[0-9]/ { print $3 }' /proc/net/snmp; }
                        ip link set lo up
                        mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup || exit 1
                        echo +memory >/tmp/cgroup/cgroup.subtree_control
                        mkdir /tmp/cgroup/words && echo 8M >/tmp/cgroup/words/memory.max || exit 1
                        begin "vmscan/mm_vmscan_memcg_reclaim_begin irq/softirq_entry" \
                            "-p mm_vmscan_direct_reclaim_begin,softirq_entry,kfree_skb,block_rq_issue" \
                            "mm_vmscan_direct_reclaim_begin softirq_entry kfree_skb block_rq_issue"
                        before=$(unheard)
                        for ((i = 0; i < %2$d; i++)); do echo >/dev/udp/127.0.0.1/7; done
                        echo $(($(unheard) - before)) >unheard.txt
                        dd if=/dev/nullb0 of=/dev/null bs=4096 count=%3$d iflag=direct status=none || exit 1
                        dd if=/dev/zero of=/dev/nullb0 bs=4096 count=%4$d oflag=direct conv=notrunc status=none || exit 1
                        (echo $BASHPID >program.pid; echo $BASHPID >/tmp/cgroup/words/cgroup.procs; exec tail /dev/zero)
                        end
                        rmdir /tmp/cgroup/words && umount /tmp/cgroup
                        modprobe -r null_blk
                        """.formatted(folder, UNHEARD, READS, WRITES)).orFail();

        String trace = text("trace.txt");
        List<JsonObject> events = events();
        assertThat(text("err.txt")).contains("none were lost");
        long program = Long.parseLong(text("program.pid"));
        List<JsonObject> ofProgram = events.stream()
                .filter(event -> event.get("tid").getAsLong() == program)
                .toList();
        assertThat(words(ofProgram, "mm_vmscan_direct_reclaim_begin", "gfp_flags", true))
                .isNotEmpty()
                .isEqualTo(second(RECLAIM, trace, text("program.pid")));

        List<String> witnessed = SOFTIRQ.matcher(trace)
                .results()
                .map(line -> line.group(1) + " " + line.group(2))
                .distinct()
                .toList();
        List<String> named = events.stream()
                .filter(event -> event.get("event").getAsString().equals("softirq_entry"))
                .map(event -> event.get("abstract_id").getAsLong() + " "
                        + event.get("vector").getAsString())
                .distinct()
                .toList();
        assertThat(named).contains("1 TIMER", "3 NET_RX").isSubsetOf(witnessed);

        List<String> operations = words(events, "block_rq_issue", "op", true);
        assertThat(operations).filteredOn("READ"::equals).hasSize(READS);
        assertThat(operations).filteredOn("WRITE"::equals).hasSize(WRITES);

        assertThat(text("unheard.txt")).isEqualTo(Integer.toString(UNHEARD));
        assertThat(words(events, "kfree_skb", "reason", true))
                .filteredOn("NO_SOCKET"::equals)
                .hasSize(UNHEARD);
    }

    /** What events of a kind have for a number, in their order. */
    private static List<String> words(List<JsonObject> events, String kind, String number, boolean isField) {
        return events.stream()
                .filter(event -> event.get("event").getAsString().equals(kind))
                .map(event -> isField ? event.getAsJsonObject("fields") : event)
                .map(from -> from.get(number).getAsString())
                .toList();
    }

    /** The second groups of the matches whose first group is this program's number. */
    private static List<String> second(Pattern pattern, String text, String program) {
        return pattern.matcher(text)
                .results()
                .filter(match -> match.group(1).equals(program))
                .map((MatchResult match) -> match.group(2))
                .toList();
    }

    private List<JsonObject> events() {
        return text("events.txt").lines().map(Json::object).toList();
    }

    private String text(String name) {
        try {
            return Files.readString(folder.resolve(name)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
