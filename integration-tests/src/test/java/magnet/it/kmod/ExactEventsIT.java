// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** 10,007 datagrams are 10,007 events, or are counted as lost; on every CPU. */
@GuestTest
final class ExactEventsIT {
    private static final int DATAGRAMS = 10_007;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final int UDP_SENDMSG = 0x010;
    private static final int LOST = 0x3ff;
    private static final int HEADER = 32;

    private static final Pattern COUNTERS = Pattern.compile("subscription \\d+ (\\w+) \\S+ cpu(\\d+) hits (\\d+)"
            + " committed (\\d+) filtered (\\d+) sampled_out (\\d+) dropped_full (\\d+) dropped_big (\\d+)"
            + " dropped_recursion (\\d+) dropped_storm (\\d+)");

    private final Guest guest;
    private Path folder = Path.of("");

    ExactEventsIT(Guest guest) {
        this.guest = guest;
    }

    /** A subscription's counters on one CPU. */
    private record Counters(
            long hits, long committed, long filtered, long sampled, long full, long big, long recursion, long storm) {
        long dropped() {
            return full + big + recursion + storm;
        }
    }

    /** What one CPU's raw records say of udp_sendmsg. */
    private record Delivered(Map<Integer, Long> byProcess, List<Long> cookies, long lost) {
        long all() {
            return byProcess.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    @BeforeEach
    void prepare() throws IOException {
        KernelModule.load(guest);
        folder = Files.createTempDirectory(guest.share(), "raw-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldLogEachDatagramOnceWhateverItsFamily() throws IOException {
        guest.sh("ip netns add exact && ip -n exact link set lo up").orFail();
        GuestProcess reader = read("262144");
        long before = outDatagrams();

        String[] workload = send("ip netns exec exact ");

        assertThat(outDatagrams() - before).isEqualTo(DATAGRAMS);
        awaitDrained(reader);
        Map<Integer, Counters> counters = counters();
        reader.signal("INT");
        reader.waitFor(LIMIT).orFail();
        Map<Integer, Delivered> delivered = delivered();
        assertThat(delivered.values().stream()
                        .mapToLong(d -> d.byProcess().getOrDefault(Integer.parseInt(workload[1]), 0L))
                        .sum())
                .isEqualTo(DATAGRAMS);
        assertEquation(counters, delivered);
        assertThat(delivered.values().stream().flatMap(d -> d.cookies().stream()))
                .contains(Long.parseLong(workload[3]));
    }

    @Test
    void shouldCountWhatFindsNoPlaceWhenTheReaderStopsForFiveSeconds() throws IOException, InterruptedException {
        GuestProcess reader = read("65536");
        guest.run("kill", "-STOP", Long.toString(reader.pid())).orFail();

        send("");
        Thread.sleep(5000);

        guest.run("kill", "-CONT", Long.toString(reader.pid())).orFail();
        send("");
        awaitDrained(reader);
        Map<Integer, Counters> counters = counters();
        reader.signal("INT");
        reader.waitFor(LIMIT).orFail();
        Map<Integer, Delivered> delivered = delivered();
        assertThat(counters.values().stream().mapToLong(Counters::hits).sum()).isGreaterThanOrEqualTo(2L * DATAGRAMS);
        assertThat(counters.values().stream().mapToLong(Counters::full).sum())
                .as("the buffers overflow")
                .isPositive();
        assertThat(counters.values()).allMatch(each -> each.dropped() == each.full());
        assertEquation(counters, delivered);
    }

    private GuestProcess read(String size) {
        GuestProcess reader = guest.start(
                "build/tools/magnet-read",
                "-p",
                "udp_sendmsg",
                "-s",
                size,
                "-w",
                "4096",
                "-t",
                "100000",
                "-o",
                folder.toString());
        guest.sh("until grep -q '^0x010 .* 1 .*=on' /sys/kernel/debug/magnet/control/events; do sleep 0.1; done")
                .orFail();
        guest.sh("until grep -q 'reader 1' /sys/kernel/debug/magnet/control/stats; do sleep 0.1; done")
                .orFail();
        return reader;
    }

    /** The workload's words: pid N cookie N kind N ... */
    private String[] send(String prefix) {
        return guest.sh(LIMIT, prefix + "build/tools/udp_mix " + DATAGRAMS + " 9")
                .orFail()
                .stdout()
                .strip()
                .split(" ");
    }

    /** Datagrams that the namespace has sent, by the kernel's own account of both families. */
    private long outDatagrams() {
        String text = guest.sh("ip netns exec exact awk '/^Udp:/ && $2 ~ /[0-9]/ { n += $5 } /^Udp6OutDatagrams/ "
                        + "{ n += $2 } END { print n }' /proc/net/snmp /proc/net/snmp6")
                .orFail()
                .stdout();
        return Long.parseLong(text.strip());
    }

    private void awaitDrained(GuestProcess reader) {
        guest.sh(
                        LIMIT,
                        "until ! grep '^ring' /sys/kernel/debug/magnet/control/stats | grep -qv ' unread 0 '; "
                                + "do sleep 0.2; done")
                .orFail();
        assertThat(reader.isAlive()).isTrue();
    }

    private Map<Integer, Counters> counters() {
        Map<Integer, Counters> found = new HashMap<>();
        Matcher m = COUNTERS.matcher(guest.read("/sys/kernel/debug/magnet/control/stats"));
        while (m.find()) {
            List<Long> n = new ArrayList<>();
            for (int group = 3; group <= 10; group++) {
                n.add(Long.parseLong(m.group(group)));
            }
            found.put(
                    Integer.parseInt(m.group(2)),
                    new Counters(n.get(0), n.get(1), n.get(2), n.get(3), n.get(4), n.get(5), n.get(6), n.get(7)));
        }
        assertThat(found).isNotEmpty();
        return found;
    }

    private Map<Integer, Delivered> delivered() throws IOException {
        Map<Integer, Delivered> found = new HashMap<>();
        try (var files = Files.newDirectoryStream(folder, "cpu*.raw")) {
            for (Path file : files) {
                int cpu = Integer.parseInt(file.getFileName().toString().replaceAll("\\D", ""));
                found.put(cpu, decode(ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN), cpu));
            }
        }
        return found;
    }

    /** Layout "wide", as docs/record-format.md draws it. */
    private static Delivered decode(ByteBuffer raw, int cpu) {
        Map<Integer, Long> byProcess = new HashMap<>();
        List<Long> cookies = new ArrayList<>();
        long lost = 0;
        long before = 0;
        for (int at = 0; at < raw.limit(); at += raw.getInt(at)) {
            assertThat(raw.getShort(at + 4)).isEqualTo((short) cpu);
            assertThat(raw.getLong(at + 24)).as("time at %d", at).isGreaterThanOrEqualTo(before);
            before = raw.getLong(at + 24);
            int event = raw.getShort(at + 6) & 0xffff;
            if (event == UDP_SENDMSG) {
                byProcess.merge(raw.getInt(at + 8), 1L, Long::sum);
                cookies.add(raw.getLong(at + 16));
            } else if (event == LOST) {
                lost += raw.getLong(at + HEADER);
            }
        }
        return new Delivered(byProcess, cookies, lost);
    }

    private static void assertEquation(Map<Integer, Counters> counters, Map<Integer, Delivered> delivered) {
        counters.forEach((cpu, c) -> {
            assertThat(c.hits())
                    .as("hits of CPU %d", cpu)
                    .isEqualTo(c.committed() + c.filtered() + c.sampled() + c.dropped());
            Delivered d = delivered.get(cpu);
            assertThat(d.all()).as("delivered of CPU %d", cpu).isEqualTo(c.committed());
            assertThat(d.lost()).as("told as lost on CPU %d", cpu).isEqualTo(c.dropped());
        });
    }
}
