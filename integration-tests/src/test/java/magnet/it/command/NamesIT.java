// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.HostShell;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Programs that live for a millisecond have their names: in what "magnet read" prints, in a saved trace by babeltrace2, in
 * its report and its export, and in the journeys of their packets; all as bpftrace and its execsnoop saw them.
 */
@GuestTest
final class NamesIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int MANY = 10_007;
    private static final int SOME = 1_009;
    private static final int FEW = 101;
    /** x86-64's number of exit_group, which each program calls once, and last. */
    private static final String LAST_CALLS = "-p sys_enter --filter 'drop if id != 231'";

    /** Runs a program by so many names, one after the other; prints each one's process, its own, name and path. */
    private static final String RUN = """
            import os, shutil, sys
            folder, program = sys.argv[1:]
            os.mkdir(folder)
            paths = [folder + "/program-%%d" %% i for i in range(%d)]
            # Where the kernel has it in memory.
            shutil.copy(program, folder)
            for path in paths:
                os.symlink(os.path.basename(program), path)
            sys.stdin.readline()
            for i, path in enumerate(paths):
                pid = os.posix_spawn(path, ["n", "argument", str(i)], {})
                assert os.waitpid(pid, 0) == (pid, 0)
                print("exec", pid, os.getpid(), os.path.basename(path), path)
            """;

    private static final Pattern READ = Pattern.compile(
            "\"tgid\":(\\d+),\"tid\":\\1,\"comm\":\"(program-\\d+)\",.*\"event\":\"sched_process_exec\",.*"
                    + "\"parent\":(\\d+),.*\"comm\":\"\\2\","
                    + "\"path\":\"([^\"]*)\",\"argv\":\"([^\"]*)\"");
    private static final Pattern PRINTED =
            Pattern.compile(" sched_process_exec: .*\\{ tgid = (\\d+), .* parent = (\\d+), .*"
                    + " comm = \"(program-\\d+)\", path = \"([^\"]*)\", argv = \"([^\"]*)\"");
    private static final Pattern REPORTED = Pattern.compile("\"tgid\": ?(\\d+), ?\"name\": ?\"(program-\\d+)\"");
    /** A line of execsnoop: time, process, arguments. */
    private static final Pattern SNOOPED = Pattern.compile("(?m)^\\d+ +(\\d+) +(n argument \\d+)$");

    private static final Pattern WITNESSED = Pattern.compile("(?m)^exec \\d+ \\d+ program-\\d+ .*$");

    private final Guest guest;
    private Path folder = Path.of("");

    NamesIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "names-");
        KernelModule.load(guest);
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldNameEveryProgramAsBpftraceDoes() throws IOException {
        nameEveryOne(SOME);
    }

    @Test
    @Tag("long")
    void shouldNameEveryProgramOfManyAsBpftraceDoes() throws IOException {
        nameEveryOne(MANY);
    }

    private void nameEveryOne(int programs) throws IOException {
        Files.writeString(folder.resolve("run.py"), RUN.formatted(programs));
        guest.sh(LIMIT, """
                        cd %s; magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                        mkfifo go
                        # On one CPU: bpftrace prints what several saw out of order, and lines of execsnoop in two parts.
                        taskset -c 1 python3 run.py /tmp/names $MAGNET_ROOT/build/tools/nothing <go >work.txt & work=$!
                        exec 3>go
                        BPFTRACE_KERNEL_SOURCE= bpftrace $MAGNET_ROOT/integration-tests/bpftrace/execs.bt >witness.txt 2>lost.txt & witness=$!
                        until grep -q there witness.txt; do kill -0 $witness || exit 1; sleep 0.1; done
                        BPFTRACE_PERF_RB_PAGES=2048 BPFTRACE_KERNEL_SOURCE= execsnoop.bt >snoop.txt 2>&1 & snoop=$!
                        until grep -q canary snoop.txt; do kill -0 $snoop || exit 1; /bin/true canary; sleep 0.2; done
                        env --default-signal=INT $magnet read %s --buffer-size 16M -o trace 2>saved.txt & saver=$!
                        until grep -q saving saved.txt; do kill -0 $saver || { cat saved.txt; exit 1; }; sleep 0.1; done
                        env --default-signal=INT $magnet read --json -p sched_process_exec --buffer-size 16M >read.txt 2>told.txt & reader=$!
                        until grep -q '^0x121 .* 2 .*=on' /sys/kernel/debug/magnet/control/events; do
                            kill -0 $reader || { cat told.txt; exit 1; }; sleep 0.1
                        done
                        # They read afterwards, which leaves the processors to the programs.
                        kill -STOP $reader $saver
                        echo >&3
                        wait $work || exit 1
                        kill -INT $witness $snoop; wait $witness $snoop
                        kill -CONT $reader $saver
                        kill -INT $reader; wait $reader || exit 1
                        kill -INT $saver; wait $saver || exit 1
                        rm -r /tmp/names
                        babeltrace2 trace >events.txt 2>warnings.txt || { cat warnings.txt; exit 1; }
                        """.formatted(folder, LAST_CALLS)).orFail();

        List<String> work = text("work.txt").lines().toList();
        assertThat(work).hasSize(programs);
        assertThat(text("witness.txt") + text("lost.txt") + text("snoop.txt"))
                .as("what bpftrace lost")
                .doesNotContain("Lost ");
        assertThat(matches("witness.txt", WITNESSED, MatchResult::group)).isEqualTo(work);
        assertThat(matches("snoop.txt", SNOOPED, match -> match.group(1) + " " + match.group(2)))
                .isEqualTo(IntStream.range(0, programs)
                        .mapToObj(i -> work.get(i).split(" ", -1)[1] + " n argument " + i)
                        .toList());
        assertThat(text("told.txt") + text("saved.txt"))
                .doesNotContainPattern(" [1-9]\\d* w(as|ere) lost")
                .doesNotContain("that name threads");

        List<String> arguments =
                IntStream.range(0, programs).mapToObj(i -> "n argument " + i).toList();
        assertThat(matches(
                        "read.txt",
                        READ,
                        match -> line(match.group(1), match.group(3), match.group(2), match.group(4))))
                .isEqualTo(work);
        assertThat(matches("read.txt", READ, match -> match.group(5))).isEqualTo(arguments);
        assertThat(matches(
                        "events.txt",
                        PRINTED,
                        match -> line(match.group(1), match.group(2), match.group(3), match.group(4))))
                .isEqualTo(work);
        assertThat(matches("events.txt", PRINTED, match -> match.group(5))).isEqualTo(arguments);

        List<String> names = work.stream().map(NamesIT::processAndName).toList();
        HostShell.run(folder, LIMIT, """
                        $MAGNET report --json --processes 65536 trace >report.txt 2>complaints.txt || exit
                        $MAGNET export trace -o x.perfetto-trace""").orFail();
        assertThat(matches("report.txt", REPORTED, match -> match.group(1) + " " + match.group(2)))
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(new String(Files.readAllBytes(folder.resolve("x.perfetto-trace")), StandardCharsets.ISO_8859_1))
                .contains("program-0", "program-" + (programs - 1));
    }

    @Test
    void shouldNameThemWhereTheyAreWatched() throws IOException {
        Files.writeString(folder.resolve("run.py"), RUN.formatted(FEW));
        guest.sh(LIMIT, """
                        cd %s; magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                        env --default-signal=INT $magnet watch %s >watched.txt 2>told.txt & watch=$!
                        until grep -q '^0x2c0 .* 1 .*=on' /sys/kernel/debug/magnet/control/events; do
                            kill -0 $watch || { cat told.txt; exit 1; }; sleep 0.1
                        done
                        echo | python3 run.py /tmp/watched $MAGNET_ROOT/build/tools/nothing >work.txt || exit 1
                        kill -INT $watch; wait $watch || exit 1
                        rm -r /tmp/watched
                        """.formatted(folder, LAST_CALLS)).orFail();
        Pattern watched = Pattern.compile("(?m) \\d+/(\\d+) (program-\\d+) +sys_enter ");
        assertThat(matches("watched.txt", watched, match -> match.group(1) + " " + match.group(2)))
                .isEqualTo(text("work.txt").lines().map(NamesIT::processAndName).toList())
                .hasSize(FEW);
        assertThat(text("watched.txt")).as("nobody asked for them").doesNotContain(" sched_process_", " task_rename ");
    }

    /** Each sends one datagram and is gone. */
    @Test
    void shouldNameWhoSentAPacket() throws IOException {
        guest.sh(LIMIT, """
                        cd %s; magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                        ip link set lo up
                        env --default-signal=INT $magnet dump -o x.pcapng 'udp and dst port 7007' 2>told.txt & dump=$!
                        until grep -q capturing told.txt; do kill -0 $dump || { cat told.txt; exit 1; }; sleep 0.1; done
                        mkdir /tmp/senders
                        for ((i = 0; i < %d; i++)); do
                            ln -s /bin/bash /tmp/senders/sender-$i
                            /tmp/senders/sender-$i -c 'echo $$ $0 >/dev/udp/127.0.0.1/7007' sender-$i
                        done
                        kill -INT $dump; wait $dump || exit 1
                        rm -r /tmp/senders
                        """.formatted(folder, FEW)).orFail();
        assertThat(text("told.txt")).contains("none were lost");
        // Who moves to another CPU while it sends stands in brackets.
        Pattern sent = Pattern.compile("cpu=\\d+ thread=\\d+\\(sender-(\\d+)\\)[:\\]] inet_sendmsg");
        assertThat(matches("x.pcapng", sent, match -> match.group(1)).stream().distinct())
                .as("as each packet left the node")
                .containsExactlyElementsOf(
                        IntStream.range(0, FEW).mapToObj(Integer::toString).toList());
    }

    /** As the work prints it. */
    private static String line(String process, String parent, String name, String path) {
        return "exec %s %s %s %s".formatted(process, parent, name, path);
    }

    /** Of a line of the work. */
    private static String processAndName(String line) {
        List<String> words = List.of(line.split(" ", -1));
        return words.get(1) + " " + words.get(3);
    }

    private List<String> matches(String file, Pattern pattern, Function<MatchResult, String> text) {
        return pattern.matcher(text(file)).results().map(text).toList();
    }

    private String text(String name) {
        try {
            return Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
