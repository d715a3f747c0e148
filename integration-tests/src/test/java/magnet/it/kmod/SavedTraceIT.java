// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.HostShell;
import magnet.it.guest.KernelModule;
import magnet.it.service.ModuleState;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A trace that {@code magnet read -o} saved says to babeltrace2 exactly what was read, event by event. */
@GuestTest
final class SavedTraceIT {
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final int MANY = 1_000_003;
    private static final int MARKERS = 1_009;
    /** Of each of two CPUs, to a port at which nobody listens. */
    private static final int DATAGRAMS = 1_009;

    private static final Pattern LINE = Pattern.compile("\\[0*(\\d+)] \\S+ (\\S+: \\{ cpu_id = (\\d+) }.*)");
    /** A number that the metadata has a name for. */
    private static final Pattern NAMED = Pattern.compile("\\( (?:\"[\\w-]+\"|<unknown>) : container = (\\d+) \\)");

    private static final Pattern RESERVED = Pattern.compile(", reserved\\d+ = \\d+");
    private static final Pattern SAVED = Pattern.compile(
            "magnet: (\\d+) events saved in [^;]*?(?:, and (\\d+) that say what threads are called)?"
                    + "(?:, and \\d+ that say whose they are)?;.*",
            Pattern.DOTALL);

    /** How many datagrams came where nobody listens. */
    private static final String UNHEARD = "awk '$1 == \"Udp:\" && $3 ~ /[0-9]/ { print $3 }' /proc/net/snmp";
    /** By a process that is still there when it is asked what it is called. */
    private static final String NOTES = """
            bash -c 'for ((i = 0; i < %d; i++)); do echo $i >/dev/magnet/marker; done; echo $$ >pid.txt
                sleep 2; :'
            """.formatted(MARKERS);
    /** What "magnet read" saves beside what was asked for. */
    private static final String NAMING = "sched_process_fork|sched_process_exec|sched_process_exit|task_rename";

    private static final String OWNERS = "cgroup_mkdir|cgroup_rmdir|task_attach";
    private static final String SENSOR = "clock|lost|storm";
    private static final Pattern SENSOR_OR_OWNERS = Pattern.compile("^\\S+ \\S+ (?:" + SENSOR + "|" + OWNERS + "): ");
    /** Whatever rules say. */
    private static final Pattern STAYS =
            Pattern.compile("^\\S+ \\S+ (?:" + SENSOR + "|" + OWNERS + "|" + NAMING + "): ");
    /** Of work(). */
    private static final int OTHER_MARKERS = 4;

    private final Guest guest;
    private Path folder = Path.of("");

    SavedTraceIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "saved-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    /** And, of the same trace: drops by reason, the names of processes, and what an own handler makes of it. */
    @Test
    void shouldSayWhatWasRead() throws IOException {
        KernelModule.load(guest);
        String opener = KernelFunctions.opener(guest);
        guest.sh(
                        LIMIT,
                        "sensor-java/bin/magnet points --insert 'f:" + opener
                                + " name=+0(+0($arg2)):string flags=$arg3:x8'")
                .orFail();
        save(
                "-p udp_sendmsg -p sched_switch -p softirq_exit -p kfree_skb -p page_fault_user -p sys_exit -p marker"
                        + " --buffer-size 4M -p f_" + opener,
                UNHEARD + " >unheard-before.txt\n" + work() + "\n" + NOTES + UNHEARD + " >unheard.txt");
        Files.writeString(folder.resolve("own.conf"), "[handler notes]\nkind = count\npoint = marker\n");
        onHost("$MAGNET report --config own.conf trace >own.txt");

        assertThat(compare()).isGreaterThan(MARKERS);
        assertDropsByReason();
        String pid = text("pid.txt").strip();
        assertFiltered("drop if tgid != " + pid, line -> line.contains(" }, { tgid = " + pid + ", tid = "));
        assertFiltered(
                "drop if cpu == 1; drop if reason != NO_SOCKET",
                line -> line.contains(": { cpu_id = 0 }, ")
                        && (!line.contains(" kfree_skb: ")
                                || line.contains(" reason = ( \"NO_SOCKET\" : container = ")));
        assertThat(number("\n" + pid + " \\(bash\\) +(\\d+) ")).isGreaterThanOrEqualTo(MARKERS);
        assertThat(text("own.txt"))
                .containsPattern("\nmagnet_notes_events_count +" + (MARKERS + OTHER_MARKERS) + "\\.000 ");
    }

    /** By the trace itself, so that nobody needs the module, or the machine, to read it. */
    private void assertDropsByReason() {
        long unheard = Long.parseLong(text("unheard.txt").strip())
                - Long.parseLong(text("unheard-before.txt").strip());
        assertThat(unheard).isEqualTo(2L * DATAGRAMS);
        long named = lines("events.txt")
                .filter(line -> line.contains(" reason = ( \"NO_SOCKET\" : container = "))
                .count();
        assertThat(named).isEqualTo(unheard);
        double seconds = number("\ntime .*, ([\\d.]+) s\n");
        assertThat(number("\nnet_drops_no_socket_rate +([\\d.]+) ") * seconds)
                .as("both numbers are printed with few digits")
                .isCloseTo((double) unheard, Percentage.withPercentage(2));
    }

    @Test
    void shouldSayWhatWasReadInLayoutClassicWithPackets() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        save("-p ip_send_skb -p dev_queue_xmit -p udp_rcv --snap 45", work());
        assertThat(compare()).isGreaterThan(MARKERS);
        assertFiltered("drop if cpu == 1", line -> line.contains(": { cpu_id = 0 }, "));
    }

    /** Filters the trace; babeltrace2 prints of it what it printed of the source, as far as that is kept. */
    private void assertFiltered(String rules, Predicate<String> kept) {
        onHost("rm -rf kept; $MAGNET filter trace -o kept '" + rules + "' 2>told.txt");
        guest.sh(LIMIT, """
                        cd %s
                        babeltrace2 --clock-cycles --no-delta kept >kept.txt 2>kept-warnings.txt || { cat kept-warnings.txt; exit 1; }
                        """.formatted(folder)).orFail();
        assertThat(lines("kept.txt"))
                .as(rules)
                .containsExactlyElementsOf(lines("events.txt")
                        .filter(line -> STAYS.matcher(line).find() || kept.test(line))
                        .toList());
        assertThat(lines("kept-warnings.txt").map(SavedTraceIT::complaint).toList())
                .isEqualTo(lines("warnings.txt").map(SavedTraceIT::complaint).toList());
        long events = lines("events.txt").filter(SavedTraceIT::isCounted).count();
        long passed =
                lines("events.txt").filter(SavedTraceIT::isCounted).filter(kept).count();
        assertThat(passed).isBetween(1L, events - 1);
        assertThat(text("told.txt"))
                .as(rules)
                .startsWith("magnet: " + passed + " of " + events + " events kept in kept, and ");
    }

    /** Who saved the trace did not ask for what tells owners. */
    private static boolean isCounted(String line) {
        return !SENSOR_OR_OWNERS.matcher(line).find();
    }

    /** What babeltrace2 complains of, without when it did and of which of the two traces. */
    private static String complaint(String warning) {
        return warning.replaceFirst("^.*? [WE] ", "").replace("/kept/cpu", "/trace/cpu");
    }

    private double number(String inReport) {
        Matcher matcher = Pattern.compile(inReport).matcher(text("report.txt"));
        assertThat(matcher.find()).as(text("report.txt")).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    /** System calls of a program that does nothing else, more than a million: babeltrace2 prints them for minutes. */
    @Test
    @Tag("long")
    void shouldSayWhatWasReadOfAMillionEvents() {
        KernelModule.load(guest);
        save("-p sys_exit --buffer-size 64M", "dd if=/dev/zero of=/dev/null bs=1 count=600001 2>/dev/null");
        assertThat(compare()).isGreaterThanOrEqualTo(MANY);
    }

    @Test
    void shouldLeaveWhatCanBeReadWhenTheDiskIsFull() {
        KernelModule.load(guest);
        GuestResult result = guest.sh(LIMIT, """
                mkdir -p /tmp/full && mount -t tmpfs -o size=3m full /tmp/full || exit 3
                trap 'umount /tmp/full' EXIT
                sensor-java/bin/magnet read -p sys_exit -o /tmp/full/trace 2>%1$s/err.txt & reader=$!
                until grep -q saving %1$s/err.txt; do kill -0 $reader || exit 6; sleep 0.1; done
                while kill -0 $reader 2>/dev/null; do
                    dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
                done
                wait $reader
                echo "exit $?"
                cat %1$s/err.txt
                df --output=avail /tmp/full | tail -n 1
                babeltrace2 /tmp/full/trace >%1$s/events.txt 2>%1$s/warnings.txt || { cat %1$s/warnings.txt; exit 4; }
                cp -r /tmp/full/trace %1$s || exit 5
                """.formatted(folder)).orFail();
        List<String> lines = result.stdout().lines().toList();
        assertThat(lines.get(0)).isEqualTo("exit 1");
        assertThat(lines.subList(1, 3))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("magnet: saving events of 1 point in /tmp/full/trace"),
                        line -> assertThat(line)
                                .matches("magnet: /tmp/full/trace/cpu\\d: No space left on device; [1-9]\\d* events?"
                                        + " (was|were) not written; what was written before stays and can be read"));
        new ModuleState(guest).awaitNothingOn();
        onHost("$MAGNET report trace >report.txt 2>complaints.txt");
        assertThat(text("complaints.txt")).as("nothing is damaged").isEmpty();
        long events =
                lines("events.txt").filter(line -> line.contains(" sys_exit: ")).count();
        assertThat(events).isGreaterThan(20_000);
        assertThat(text("report.txt")).containsPattern("sys_exit +" + events + " ");
    }

    @Tag("long")
    @Test
    void shouldReportTracesOfBothProgramsAlike() {
        KernelModule.load(guest);
        guest.sh(LIMIT, """
                        cd %s; magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                        $MAGNET_ROOT/build/tools/magnet-read -p marker -c c >magnet.txt & reader=$!
                        until grep -q 'marker.*=on' /sys/kernel/debug/magnet/control/events; do sleep 0.1; done
                        $magnet read -p marker -o java --rotate-size 8K 2>err.txt & java=$!
                        until grep -q saving err.txt; do kill -0 $java || exit 1; sleep 0.1; done
                        for ((i = 0; i < %d; i++)); do
                            echo $i >/dev/magnet/marker
                            ((i %% 300)) || sleep 0.5
                        done
                        kill -INT $reader; kill -TERM $java
                        wait $reader && wait $java || exit 1
                        for trace in c java; do
                            babeltrace2 $trace 2>/dev/null |
                                grep -cE ' (%s): .* abstract_id = ([5-9][0-9]{2}|[0-9]{4,}) ' >$trace-others.txt
                            babeltrace2 $trace 2>/dev/null | grep -c ' marker: ' >$trace-count.txt
                        done
                        """.formatted(folder, MARKERS, NAMING)).orFail();
        onHost("""
                for trace in c java; do
                    $MAGNET report --filter 'log if id < 500; drop' $trace >$trace.txt 2>$trace-err.txt || exit
                    $MAGNET filter $trace -o all-$trace log && diff -r $trace all-$trace || exit
                done
                """);
        for (String program : List.of("c", "java")) {
            int others = Integer.parseInt(text(program + "-others.txt").strip());
            assertThat(text(program + "-count.txt").strip()).as(program).isEqualTo(Integer.toString(MARKERS));
            assertThat(text(program + ".txt")).as(program).containsPattern("\nmarker +500 ");
            assertThat(text(program + "-err.txt"))
                    .as(program)
                    .isEqualTo("magnet: " + (MARKERS - 500 + others) + " events were filtered\n");
        }
        assertThat(folder.resolve("java/000002/metadata")).exists();
        assertThat(text("err.txt")).contains(MARKERS + " events saved in java, in ", "none were lost");
    }

    private static String work() {
        return """
                ip link set lo up
                for cpu in 0 1; do
                    echo "42 a" | taskset -c $cpu tee /dev/magnet/marker >/dev/null
                    echo | taskset -c $cpu $MAGNET_ROOT/build/tools/witness_load %d || exit 1
                    echo "1 seventeen bytes" | taskset -c $cpu tee /dev/magnet/marker >/dev/null
                done""".formatted(DATAGRAMS);
    }

    /** Saves a trace and, of the same reads, the raw records, while a workload runs. */
    private void save(String arguments, String workload) {
        guest.sh(LIMIT, """
                        cd %s
                        env --default-signal=INT $MAGNET_ROOT/sensor-java/bin/magnet read %s -o trace --records raw 2>err.txt & reader=$!
                        until grep -q saving err.txt; do kill -0 $reader || { cat err.txt; exit 1; }; sleep 0.1; done
                        cat /sys/kernel/debug/magnet/control/format >format.txt
                        %s
                        kill -INT $reader
                        wait $reader || { cat err.txt; exit 1; }
                        babeltrace2 --clock-cycles --no-delta trace >events.txt 2>warnings.txt || { cat warnings.txt; exit 1; }
                        """.formatted(folder, arguments, workload)).orFail();
        onHost("$MAGNET report trace >report.txt 2>complaints.txt");
    }

    /** A trace can be read anywhere. */
    private void onHost(String script) {
        try {
            HostShell.run(folder, LIMIT, script).orFail();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Compares each event that babeltrace2 prints with the next record of its CPU.
     *
     * @return how many there are
     */
    private long compare() {
        RecordFormat format = new RecordFormat(text("format.txt"));
        List<Iterator<String>> logged = Stream.of(0, 1)
                .map(cpu -> format.iterator(bytes("raw/cpu" + cpu + ".raw")))
                .toList();
        long events = 0;
        try (BufferedReader witness = Files.newBufferedReader(folder.resolve("events.txt"))) {
            for (String line = witness.readLine(); line != null; line = witness.readLine()) {
                Matcher matcher = LINE.matcher(line);
                assertThat(matcher.matches()).as(line).isTrue();
                String event = matcher.group(1) + " "
                        + NAMED.matcher(RESERVED.matcher(matcher.group(2)).replaceAll(""))
                                .replaceAll("$1");
                Iterator<String> cpu = logged.get(Integer.parseInt(matcher.group(3)));
                String expected = cpu.hasNext() ? cpu.next() : "nothing more";
                if (!event.equals(expected)) {
                    assertThat(event).as("event %d", events).isEqualTo(expected);
                }
                events++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(logged).as("all of it").noneMatch(Iterator::hasNext);
        assertThat(text("complaints.txt")).isEmpty();
        Matcher saved = SAVED.matcher(lines("err.txt").skip(1).findFirst().orElse(""));
        assertThat(saved.matches()).as(text("err.txt")).isTrue();
        long all = Long.parseLong(saved.group(1)) + (saved.group(2) == null ? 0 : Long.parseLong(saved.group(2)));
        assertThat(text("report.txt")).contains("\nevents     " + all + ", lost ");
        return events;
    }

    private Stream<String> lines(String name) {
        return text(name).lines();
    }

    private byte[] bytes(String name) {
        try {
            return Files.readAllBytes(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String text(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
