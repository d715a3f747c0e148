// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A trace that magnet-read saved says to babeltrace2 exactly what the module logged. */
@GuestTest
final class TraceIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final long TOLERANCE_NS = 100_000_000;

    /** Points with payloads of every form: none, gaps, text, what was captured, signed, hexadecimal, fixed text. */
    private static final List<String> POINTS = List.of(
            "-p udp_sendmsg",
            "-p sched_switch",
            "-p irq_handler_entry",
            "-p softirq_exit",
            "-p dev_queue_xmit",
            "-p net_dev_xmit",
            "-p kfree_skb",
            "-p tcp_rcv",
            "-p page_fault_user",
            "-p sched_process_fork",
            "-p sched_process_exec",
            "-p sched_process_exit",
            "-p task_rename",
            "-p task_attach",
            "-p cgroup_mkdir",
            "-p sys_exit",
            "-p marker",
            "-i 'f:OPENER name=+0(+0($arg2)):string flags=$arg3:x8'",
            "-i 'r:vfs_read small=$arg3:u8 $retval:s64 event=$arg3:x32'");

    /** Late comers of which the reader reads while they are there; it is asked to describe them at its first sight. */
    private static final String SEEN = """
            cat $control/format >format.txt
            kill -CONT $reader
            until grep -q f_OPENER trace/metadata && grep -q sample_text trace/metadata; do sleep 0.1; done
            """;

    /** And of which it reads when they are gone. */
    private static final String UNSEEN = "true";

    private static final Pattern LINE = Pattern.compile("\\[0*(\\d+)] \\S+ (\\S+: .*)");
    /** A number that the metadata has a name for. */
    private static final Pattern NAMED = Pattern.compile("\\( (?:\"[\\w-]+\"|<unknown>) : container = (\\d+) \\)");

    private static final Pattern RESERVED = Pattern.compile(", reserved\\d+ = \\d+");
    private static final Pattern COMMITTED = Pattern.compile("(\\S+) hits \\d+ committed (\\d+) .*");
    private static final Pattern DROPPED = Pattern.compile("dropped_(full|big|recursion) (\\d+)");
    private static final Pattern LOST = Pattern.compile(" lost: .*count = (\\d+)");
    private static final Pattern DISCARDED = Pattern.compile("discarded (\\d+) events?");
    private static final Pattern CLOCK = Pattern.compile("\\[(\\d+)\\.(\\d{9})] .* clock: .*realtime_ns = (\\d+),.*");

    private final Guest guest;
    /** Stands as OPENER in what is run. */
    private final String opener;

    private Path folder = Path.of("");

    TraceIT(Guest guest) {
        this.guest = guest;
        opener = KernelFunctions.opener(guest);
    }

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "trace-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldSayWhatWasLogged() {
        KernelModule.load(guest);
        record("-s 16777216 " + String.join(" ", POINTS), "");
        assertTraceIsWhatWasLogged();
    }

    @Test
    void shouldSayWhatWasLoggedInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        record("-s 16777216 " + String.join(" ", POINTS), "");
        assertTraceIsWhatWasLogged();
    }

    @Test
    void shouldSayHowManyWereLost() throws IOException {
        KernelModule.load(guest);
        record("-s 65536 -w 32768 -p sys_enter -p marker", """
                until [ -s trace/cpu0 ] && [ -s trace/cpu1 ]; do sleep 0.1; done
                kill -STOP $reader
                """);
        assertTraceIsWhatWasLogged();

        long dropped = sum(DROPPED, 2, read("magnet.txt"));
        assertThat(dropped).isPositive();
        assertThat(sum(LOST, 1, read("events.txt"))).isEqualTo(dropped);
        assertThat(sum(DISCARDED, 1, read("warnings.txt"))).isEqualTo(dropped);
    }

    @Test
    void shouldSayWhatCameAfterTheStart() {
        KernelModule.load(guest);
        recordLateComers(SEEN);
        assertTraceIsWhatWasLogged();
        assertThat(read("events.txt")).contains(" f_" + opener + ": ", " sample_tick: ", " sample_text: ");
    }

    @Test
    void shouldSayWhatCameAfterTheStartInLayoutClassic() {
        KernelModule.load(guest, "layout=classic");
        recordLateComers(SEEN);
        assertTraceIsWhatWasLogged();
        assertThat(read("events.txt")).contains(" f_" + opener + ": ", " sample_tick: ", " sample_text: ");
    }

    /** Nobody can say any more what it was, and yet no record is lost. */
    @Test
    void shouldSayThatThereWasWhatCameAndWentUnseen() {
        KernelModule.load(guest);
        recordLateComers(UNSEEN);
        assertTraceIsWhatWasLogged();
        assertThat(read("events.txt")).contains(" unknown_0x400: ", " unknown_0x401: ", " unknown_0x402: ");
    }

    @Test
    void shouldSayWhyThereIsNoTrace() {
        KernelModule.load(guest);
        GuestResult result = guest.sh(LIMIT, "build/tools/magnet-read -p marker -c /proc/nowhere");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.stderr()).isEqualTo("magnet-read: -c: /proc/nowhere: No such file or directory\n");
        result = guest.sh(
                LIMIT,
                "umount /sys/kernel/debug; build/tools/magnet-read -p marker -c /tmp/t; code=$?;"
                        + " mount -t debugfs debugfs /sys/kernel/debug; exit $code");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.stderr())
                .contains("control/format: No such file or directory; a trace needs debugfs, and root to read it");
    }

    @Test
    void shouldSayWhatIsWrongInItsCommandLine() {
        KernelModule.load(guest);
        String tooMany = "-p marker ".repeat(65);
        Map<String, String> complaints = Map.ofEntries(
                Map.entry("", "it needs a point to log: -p POINT or -i DEFINITION"),
                Map.entry("-p", "-p needs an argument"),
                Map.entry("-p marker --ctf", "--ctf needs an argument"),
                Map.entry("-p marker -x", "there is no option -x"),
                Map.entry("-p marker --colour", "there is no option --colour, or it takes no argument"),
                Map.entry("-p marker more", "\"more\" belongs to no option"),
                Map.entry("-p marker -s 1M", "-s: \"1M\" is not a whole number from 0 on"),
                Map.entry("-p marker -w -1", "-w: \"-1\" is not a whole number from 0 on"),
                Map.entry("-p marker -t ''", "-t: \"\" is not a whole number from 0 on"),
                Map.entry("-p marker -d 0.5", "-d: \"0.5\" is not a whole number from 0 on"),
                Map.entry("-p marker -d 0", "-d 0: that is no time; without -d it reads until SIGINT"),
                Map.entry(tooMany, "-p marker: there are 64 points already, the most that can be given"));

        complaints.forEach((arguments, complaint) -> {
            GuestResult result = guest.sh(LIMIT, "build/tools/magnet-read " + arguments);
            assertThat(result.stderr()).isEqualTo("magnet-read: " + complaint + "; try --help\n");
            assertThat(result.stdout()).isEmpty();
            assertThat(result.exitCode()).isEqualTo(2);
        });
        GuestResult help = guest.sh(LIMIT, "build/tools/magnet-read --help");
        assertThat(help.stdout()).startsWith("magnet-read {-p POINT");
        assertThat(help.exitCode()).isZero();
    }

    /** Work on both CPUs while the reader writes a trace and, of the same reads, the raw records. */
    private void record(String arguments, String before) {
        guest.sh(LIMIT, """
                        cd %s; tools=$MAGNET_ROOT/build/tools; control=/sys/kernel/debug/magnet/control
                        ip link set lo up
                        $tools/magnet-read %s -c trace -o . >magnet.txt & reader=$!
                        until [ -s trace/metadata ]; do kill -0 $reader || exit 1; sleep 0.1; done
                        cat $control/format >format.txt
                        %s
                        for cpu in 0 1; do
                            for text in 7 "42 a" "43 more" "44 seventeen bytes" "no number"; do
                                echo "$text" | taskset -c $cpu tee /dev/magnet/marker >/dev/null
                            done
                            echo | taskset -c $cpu $tools/witness_load 409 || exit 1
                            echo "1 the end" | taskset -c $cpu tee /dev/magnet/marker >/dev/null
                        done
                        kill -INT $reader; kill -CONT $reader
                        wait $reader || exit 1
                        babeltrace2 --clock-cycles --no-delta trace >events.txt 2>warnings.txt || { cat warnings.txt; exit 1; }
                        babeltrace2 --clock-seconds --no-delta trace >seconds.txt 2>/dev/null
                        """.formatted(folder, arguments, before).replace("OPENER", opener))
                .orFail();
    }

    /**
     * Events of another module, and a point that is inserted, for which the reader's buffer is subscribed after its metadata
     * was written.
     *
     * @param whileThere what happens while their points are still there
     */
    private void recordLateComers(String whileThere) {
        guest.sh(LIMIT, """
                        cd %s; tools=$MAGNET_ROOT/build/tools
                        export control=/sys/kernel/debug/magnet/control emit=/sys/kernel/debug/magnet_sample/emit
                        $tools/magnet-read -p marker -b late -c trace -o . >magnet.txt & export reader=$!
                        until [ -s trace/metadata ]; do kill -0 $reader || exit 1; sleep 0.1; done
                        echo "1 first" >/dev/magnet/marker
                        cat $control/format >format.txt
                        kill -STOP $reader
                        insmod %s || exit 1
                        $tools/subscribed -b late -i 'f:OPENER name=+0(+0($arg2)):string' \\
                            -p sample_tick -p sample_text -- bash -c '
                                for cpu in 0 1; do
                                    taskset -pc $cpu $$
                                    echo tick process 101 >$emit
                                    echo text process 17 >$emit
                                    cat /etc/passwd
                                done >/dev/null
                                %s' || exit 1
                        rmmod magnet_sample || exit 1
                        while grep -q f_OPENER $control/events; do sleep 0.1; done
                        kill -CONT $reader
                        echo "2 last" >/dev/magnet/marker
                        kill -INT $reader
                        wait $reader || exit 1
                        babeltrace2 --clock-cycles --no-delta trace >events.txt 2>warnings.txt || { cat warnings.txt; exit 1; }
                        babeltrace2 --clock-seconds --no-delta trace >seconds.txt 2>/dev/null
                        """.formatted(
                        folder, KernelModule.sample(guest.options().kernel()), whileThere).replace("OPENER", opener))
                .orFail();
    }

    private void assertTraceIsWhatWasLogged() {
        RecordFormat format = new RecordFormat(read("format.txt"));
        List<String> logged = Stream.of(0, 1)
                .flatMap(cpu -> format.print(bytes("cpu" + cpu + ".raw")).stream())
                .sorted()
                .toList();
        List<String> witnessed =
                read("events.txt").lines().map(TraceIT::event).sorted().toList();
        assertThat(witnessed).isEqualTo(logged);

        Map<String, Long> committed = new TreeMap<>();
        read("magnet.txt")
                .lines()
                .map(COMMITTED::matcher)
                .filter(Matcher::matches)
                .forEach(matcher -> committed.put(matcher.group(1), Long.parseLong(matcher.group(2))));
        Map<String, Long> counted = witnessed.stream()
                .map(line -> line.replaceFirst("\\d+ (\\w+): .*", "$1"))
                .filter(committed::containsKey)
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        assertThat(committed.values()).as("%s", committed).allMatch(count -> count > 0);
        assertThat(counted).isEqualTo(committed);
        assertWallClock();
    }

    /** A CLOCK record says what time it was when it was written. */
    private void assertWallClock() {
        List<Matcher> clocks = read("seconds.txt")
                .lines()
                .map(CLOCK::matcher)
                .filter(Matcher::matches)
                .toList();
        assertThat(clocks).hasSizeGreaterThanOrEqualTo(2).allSatisfy(clock -> {
            long shown = Long.parseLong(clock.group(1)) * 1_000_000_000 + Long.parseLong(clock.group(2));
            assertThat(Math.abs(shown - Long.parseLong(clock.group(3)))).isLessThan(TOLERANCE_NS);
        });
    }

    private static String event(String line) {
        Matcher matcher = LINE.matcher(line);
        assertThat(matcher.matches()).as(line).isTrue();
        return matcher.group(1) + " " + plain(matcher.group(2));
    }

    /** As the record has it. */
    private static String plain(String event) {
        return NAMED.matcher(RESERVED.matcher(event).replaceAll("")).replaceAll("$1");
    }

    private static long sum(Pattern pattern, int group, String text) {
        return pattern.matcher(text)
                .results()
                .mapToLong(result -> Long.parseLong(result.group(group)))
                .sum();
    }

    private byte[] bytes(String name) {
        try {
            return Files.readAllBytes(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String read(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }
}
