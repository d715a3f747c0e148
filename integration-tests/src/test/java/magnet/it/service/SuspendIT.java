// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.HostShell;
import magnet.it.guest.KernelComplaints;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guest is suspended to RAM and wakes up, and the service goes on: what it publishes is exact before and after, and no
 * value leaves its range. After that the guest has nothing of the host's, so that all runs in its memory (harness/island), and
 * what came of it is told on the console.
 */
@Tag("guest")
@Tag("long")
final class SuspendIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int DATAGRAMS = 1_009;
    private static final int CPUS = 2;
    private static final int CLOCK = 0x3fe;
    private static final int EPOCH_OFFSET = 16;
    private static final double HALF_A_DIGIT = 0.000_000_5;
    private static final String ISLAND = "/run/island";
    private static final String WINDOW = "magnet_sensor_window_length";

    private static final String CONFIG = """
            [collector]
            buffer-size = 4M
            [publish]
            interval = 1s
            window = 60s
            [ganglia]
            gmond-conf = /etc/gmond.conf
            [service]
            tee-directory = /tmp/tee
            [metrics]
            level = full
            replace = cpu, network
            block = off
            syscalls = off
            user = off
            """;

    /** Sends datagrams, sleeps, and sends again; each time the service publishes a whole interval before and after. */
    private static final String SCRIPT = """
            #!/bin/busybox sh
            exec </dev/null >/dev/ttyS0 2>&1
            export PATH=/bin JAVA_HOME=/java MAGNET_JAVA_OPTS=-XX:TieredStopAtLevel=1
            cd /tmp
            lines() { wc -l <tee/windows.jsonl; }
            publish() { n=$(($(lines) + 3)); until [ "$(lines)" -ge $n ]; do usleep 200000; done; }
            tell() { gzip -c "$2" | base64 | sed "s/^/island $1 /"; }
            /magnet/bin/magnetd -c /etc/magnet.conf >log 2>&1 & service=$!
            until grep -q 'publishing ' log; do usleep 200000; done
            magnet-read -p udp_sendmsg -c trace >reader 2>&1 & reader=$!
            publish
            echo "island before $(udp_mix %1$d 9)"
            publish
            echo "island sleeps"
            echo mem >/sys/power/state
            echo "island woke"
            publish
            echo "island after $(udp_mix %1$d 9)"
            publish
            kill -INT $reader; wait $reader; echo "island reader $?"
            kill $service; wait $service; echo "island service $?"
            dmesg -n 1
            tell windows tee/windows.jsonl
            tell records tee/records.raw
            for file in trace/*; do tell "${file##*/}" "$file"; done
            sed 's/^/island log /' log
            echo "island up $(cut -d' ' -f1 /proc/uptime)"
            dmesg
            echo "island over"
            """.formatted(DATAGRAMS);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private static Path folder;

    private static String console = "";
    private static List<TeeWindow> windows = List.of();
    private static List<RawRecord> records = List.of();

    @BeforeAll
    static void run() throws Exception {
        try (Guest guest = Guest.boot(GuestOptions.defaults().withWaking())) {
            try {
                sleepAndWakeUp(guest);
            } catch (Throwable e) {
                guest.keep();
                throw e;
            }
        }
        windows = TeeWindow.in(told("windows", folder.resolve("windows.jsonl")));
        records = RawRecord.in(told("records", folder.resolve("records.raw")));
    }

    private static void sleepAndWakeUp(Guest guest) throws IOException, InterruptedException {
        KernelModule.load(guest);
        guest.run(LIMIT, "integration-tests/harness/island", ISLAND).orFail();
        put(guest, "etc/magnet.conf", CONFIG);
        put(guest, "bin/sleep-and-wake-up", SCRIPT);
        guest.run("cp", "integration-tests/ganglia/gmond.conf", ISLAND + "/etc/")
                .orFail();
        guest.start("chroot", ISLAND, "/bin/busybox", "sh", "/bin/sleep-and-wake-up");

        guest.awaitConsole("island sleeps", LIMIT);
        guest.awaitMonitor("info status", "suspended", LIMIT);
        guest.monitor("system_wakeup");
        guest.awaitConsole("island over", LIMIT);

        console = guest.consoleText().replace("\r", "");
        KernelComplaints.failIfAnyOnConsole(guest);
    }

    private static void put(Guest guest, String file, String text) {
        guest.start(text, List.of("cp", "/dev/stdin", ISLAND + "/" + file))
                .waitFor(LIMIT)
                .orFail();
    }

    /** A file that was told on the console. */
    private static Path told(String name, Path file) throws IOException {
        StringBuilder packed = new StringBuilder();
        lines(name).forEach(packed::append);
        try (GZIPInputStream in =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed.toString())))) {
            Files.write(file, in.readAllBytes());
        }
        return file;
    }

    private static Stream<String> lines(String name) {
        String begin = "island " + name + " ";
        return console.lines().filter(line -> line.startsWith(begin)).map(line -> line.substring(begin.length()));
    }

    private static String line(String name) {
        return lines(name).findFirst().orElseThrow();
    }

    private static long sender(String when) {
        Matcher pid = Pattern.compile("pid (\\d+) ").matcher(line(when));
        assertThat(pid.find()).isTrue();
        return Long.parseLong(pid.group(1));
    }

    private static List<RawRecord> sends() {
        return records.stream()
                .filter(each -> each.event() == RawRecord.UDP_SENDMSG)
                .toList();
    }

    @Test
    void shouldCountExactlyBeforeAndAfter() {
        assertThat(sends().stream().filter(each -> each.tgid() == sender("before")))
                .hasSize(DATAGRAMS);
        assertThat(sends().stream().filter(each -> each.tgid() == sender("after")))
                .hasSize(DATAGRAMS);
        TeeWindow last = windows.get(windows.size() - 1);
        assertThat(last.fromByte()).as("the window still grew").isZero();
        long published =
                sends().stream().filter(each -> each.at() < last.toByte()).count();
        double rate = last.value("magnet_net_udp_send_packets_rate");
        assertThat(rate * last.value(WINDOW))
                .isCloseTo((double) published, Offset.offset(HALF_A_DIGIT * (rate + last.value(WINDOW))));
        assertThat(last.value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldTellOfOneNewEpochInEachCpusRecords() {
        List<Long> epochs = records.stream()
                .filter(each -> each.event() == CLOCK)
                .map(each -> each.u32(EPOCH_OFFSET))
                .distinct()
                .toList();
        assertThat(epochs).hasSize(2).isSorted();
        TeeWindow last = windows.get(windows.size() - 1);
        assertThat(last.value("magnet_sensor_clock_jumps_rate") * last.value(WINDOW))
                .isBetween(0.999, 1.001);
        assertThat(last.value("magnet_sensor_lossy_intervals")).isEqualTo(1);
        assertThat(lines("log")).anyMatch(each -> each.contains("the timer of the events jumped"));
    }

    @Test
    void shouldPublishNothingThatCannotBe() {
        assertThat(windows).hasSizeGreaterThan(8);
        double up = Double.parseDouble(line("up"));
        windows.forEach(window -> PossibleValues.check(window, CPUS, up));
        assertThat(windows.get(windows.size() - 1).value("magnet_sched_run_queue_wait_max"))
                .isPositive();
    }

    @Test
    void shouldEndAsIfNothingHadHappened() {
        assertThat(line("service")).isEqualTo("0");
        assertThat(line("reader")).isEqualTo("0");
        assertThat(lines("log"))
                .noneMatch(each -> each.contains(" ERROR "))
                .anyMatch(each -> each.contains(", 0 lost"));
    }

    /** A saved trace has both epochs, each in its order, and nothing that lasted from one to the other. */
    @Test
    void shouldReportATraceOfBoth() throws Exception {
        Path trace = Files.createDirectory(folder.resolve("trace"));
        for (String file : List.of("metadata", "cpu0", "cpu1")) {
            told(file, trace.resolve(file));
        }
        String json = HostShell.run(folder, LIMIT, "$MAGNET report --json trace 2>stderr")
                .orFail()
                .stdout();
        assertThat(Files.readString(folder.resolve("stderr"))).contains("the timer jumped or began anew once");
        assertThat(Json.object(json).get("clock_jumps").getAsInt()).isEqualTo(1);
        assertThat(Json.object(json).get("seconds").getAsDouble()).isBetween(0.0, Double.parseDouble(line("up")));
        assertThat(Json.object(json)
                        .getAsJsonObject("by_event")
                        .get("udp_sendmsg")
                        .getAsLong())
                .isGreaterThanOrEqualTo(2 * DATAGRAMS);
    }
}
