// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tracing the hierarchy of processes: the tree, the device, the ways out of a task, and in which order signals are sent. */
@GuestTest
final class GtraceIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** A task of six processes: a root with two children, the first of which has two, the second one. */
    private static final String MAKE_TASK = """
            (
                echo 'new family root' >/dev/gtrace
                (sleep 1001 & sleep 1002 & wait) &
                (sleep 1003 & wait) &
                wait
            ) &
            until [ $(grep -c 'progname sleep' /dev/gtrace) = 3 ]; do sleep 0.1; done
            """;

    private static final Pattern PROCESS = Pattern.compile("(?m)^process (\\d+) parent (\\d+) depth \\d+ start \\d+ ");
    private static final Pattern SENT = Pattern.compile("(?m)^sent (\\d+) (\\d+)$");

    private final Guest guest;

    GtraceIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest);
        guest.run("insmod", KernelModule.gtrace(guest.options().kernel()).toString())
                .orFail();
    }

    @AfterEach
    void remove() {
        guest.sh("if [ -d /sys/module/magnet_gtrace ]; then rmmod magnet_gtrace; fi")
                .orFail();
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> program() {
        String processes = "GTRACE_MANY=" + (guest.options().looksForFaults() ? 1000 : 10_000);
        return KtapProgram.runWith(
                guest, processes, skipped(), "test-gtrace", guest.options().scaled(LIMIT));
    }

    /** Each way out fifty times: most of them depend on who is quicker. */
    @Tag("long")
    @TestFactory
    Stream<DynamicTest> programOverAndOver() {
        return KtapProgram.runWith(
                guest,
                "GTRACE_ROUNDS=50",
                skipped(),
                "test-gtrace",
                guest.options().scaled(LIMIT.multipliedBy(3)));
    }

    /** Only the debug kernel lets allocations fail, and the kernels that look for faults have no connector. */
    private Map<String, String> skipped() {
        Map<String, String> skipped = new HashMap<>(KtapProgram.whereFaultsAreLookedFor(
                guest, "proc_connector_agrees", "this kernel has no proc connector"));
        if (!guest.options().kernel().equals("debug")) {
            skipped.put("no_memory_at_fork_kills_the_child", "this kernel has no fault injection");
        }
        return skipped;
    }

    @Test
    void shouldSignalFromTheTopDownAndContinueFromTheBottomUp() {
        String log = guest.sh(LIMIT, MAKE_TASK + """
                        BPFTRACE_KERNEL_SOURCE= bpftrace -e '
                            tracepoint:signal:signal_generate /comm == "test-gtrace"/ { printf("sent %d %d\\n", args->sig, args->pid); }
                            interval:ms:200 { printf("there\\n"); }' >/tmp/sent 2>&1 & witness=$!
                        until grep -q there /tmp/sent; do kill -0 $witness || exit 1; sleep 0.1; done
                        cat /dev/gtrace
                        for order in stop cont kill; do build/tools/test-gtrace --$order family || exit 1; done
                        until ! grep -q family /dev/gtrace; do sleep 0.1; done
                        kill -INT $witness; wait $witness
                        grep sent /tmp/sent
                        """).orFail().stdout();

        Map<Integer, Integer> parents = PROCESS.matcher(log)
                .results()
                .collect(Collectors.toMap(
                        line -> Integer.parseInt(line.group(1)),
                        line -> Integer.parseInt(line.group(2)),
                        (first, second) -> first,
                        LinkedHashMap::new));
        List<Integer> down = List.copyOf(parents.keySet());
        assertThat(down).hasSize(6);
        assertThat(sent(log, "19")).as("SIGSTOP").isEqualTo(down);
        assertThat(sent(log, "9")).as("SIGKILL").isEqualTo(down);
        List<Integer> up = sent(log, "18");
        assertThat(up).as("SIGCONT").containsExactlyInAnyOrderElementsOf(down);
        parents.forEach((process, parent) -> assertThat(up.subList(0, up.indexOf(process)))
                .as("continued before %d", process)
                .doesNotContain(parent));
    }

    /** A process that is moved out comes back, by the event that says so; where nobody is to leave alive it is killed. */
    @Test
    void shouldReturnOrKillWhoLeavesTheCgroup() {
        String log = guest.sh(LIMIT, """
                        root=/sys/fs/cgroup
                        mountpoint -q $root || mount -t cgroup2 none $root || exit 1
                        mkdir -p $root/home $root/elsewhere
                        bash -c 'echo $$ >/sys/fs/cgroup/home/cgroup.procs
                            echo "new kept p" >/dev/gtrace
                            exec sleep 1000' & process=$!
                        until grep -q "^process $process .* sleep" /dev/gtrace; do kill -0 $process || exit 1; sleep 0.1; done
                        keep() { env --default-signal=INT sensor-java/bin/magnet jobs keep --json "$@" >>/tmp/keep.json 2>>/tmp/keep.err & keep=$!; }
                        keep gtrace:kept
                        # The first one may be there before the command looks.
                        for i in 1 2 3; do
                            echo $process >$root/elsewhere/cgroup.procs
                            until grep -qx 0::/home /proc/$process/cgroup; do kill -0 $keep || exit 1; sleep 0.1; done
                        done
                        kill -INT $keep; wait $keep || exit 1
                        keep --on-escape=kill
                        echo $process >$root/elsewhere/cgroup.procs
                        wait $process
                        echo "ended $?"
                        until ! grep -q kept /dev/gtrace; do sleep 0.1; done
                        kill -INT $keep; wait $keep || exit 1
                        grep -c '"action": "return"' /tmp/keep.json
                        grep -c '"action": "kill"' /tmp/keep.json
                        grep -c error /tmp/keep.json
                        cat /tmp/keep.err
                        """).orFail().stdout();

        assertThat(log.lines())
                .containsExactly(
                        "ended 137",
                        "3",
                        "1",
                        "0",
                        "magnet: 3 processes outside of their cgroups",
                        "magnet: 1 process outside of its cgroup");
    }

    @Test
    void shouldStayWhileTheDeviceIsOpen() {
        GuestResult refused = guest.sh("exec 3</dev/gtrace; rmmod magnet_gtrace");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("in use");
        assertThat(guest.run("rmmod", "magnet").stderr()).contains("in use by: magnet_gtrace");
    }

    @Test
    void shouldStayWhileTheHierarchyIsMounted() {
        GuestResult refused = guest.sh("mount -t gtrace none /proc/gtrace && rmmod magnet_gtrace");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("in use");
        guest.run("umount", "/proc/gtrace").orFail();
    }

    @Test
    void shouldLetProcessesBeWhenItIsRemoved() {
        String log = guest.sh(LIMIT, MAKE_TASK + """
                        rmmod magnet_gtrace || exit 1
                        pgrep -c -x sleep
                        pkill -x sleep
                        """).orFail().stdout();

        assertThat(log).isEqualTo("3\n");
    }

    private static List<Integer> sent(String log, String signal) {
        return SENT.matcher(log)
                .results()
                .filter(line -> line.group(1).equals(signal))
                .map(line -> Integer.parseInt(line.group(2)))
                .toList();
    }
}
