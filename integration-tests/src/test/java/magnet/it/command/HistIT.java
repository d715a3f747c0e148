// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one process does, aggregated by the command and, in the same run, by bpftrace: each bucket and each count is equal. */
@GuestTest
final class HistIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int ROUNDS = 101;
    private static final int PORT = 4_242;
    /** Of each power of two the borders, and what is between them. */
    private static final List<Integer> LENGTHS = List.of(0, 1, 2, 3, 4, 7, 8, 63, 64, 100, 1_023, 1_024, 1_400, 9_000);

    /** Sends when a line comes; what it looks for is not there, so that its system calls also return negative numbers. */
    private static final String PROGRAM = """
            import os, socket, sys
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            receiver.bind(("127.0.0.1", %d))
            print("ready", flush=True)
            os.read(0, 1)
            for i in range(%d):
                for length in %s:
                    sender.sendto(bytes(length), ("127.0.0.1", %d))
                os.path.exists("/not/there")
            """.formatted(PORT, ROUNDS, LENGTHS, PORT);

    private static final String WITNESS = """
            kprobe:udp_sendmsg /pid == $1/ { @len[cpu] = hist(arg2); }
            tracepoint:raw_syscalls:sys_exit /pid == $1/ { @ret = hist(args->ret); @nr[args->id] = count(); }
            interval:ms:200 { printf("there\\n"); }
            """;

    private static final Pattern MAP = Pattern.compile("@(\\w+)(?:\\[(\\d+)])?: *(\\d*)");
    private static final Pattern TITLE = Pattern.compile("\\w+(?: of cpu (\\d+))?: (\\d+) events?, .*");
    private static final Pattern BUCKET = Pattern.compile("([\\[(].*[])]) +(\\d+) \\|[@ ]*\\|");

    private final Guest guest;
    private Path folder = Path.of("");

    HistIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() throws IOException {
        KernelModule.loadUnlessLoaded(guest);
        folder = Files.createTempDirectory(guest.share(), "hist-");
        Files.writeString(folder.resolve("send.py"), PROGRAM);
        Files.writeString(folder.resolve("witness.bt"), WITNESS);
    }

    private String read(String file) throws IOException {
        return Files.readString(folder.resolve(file));
    }

    @Test
    void shouldHaveEachBucketAndEachCountOfBpftrace() throws IOException {
        guest.sh(LIMIT, """
                        cd %s; root=%s; magnet=$root/sensor-java/bin/magnet
                        ip link set lo up; mkfifo go
                        /usr/bin/python3 send.py <go >work.txt & work=$!
                        exec 3>go
                        until grep -q ready work.txt; do kill -0 $work || exit 1; sleep 0.1; done
                        BPFTRACE_KERNEL_SOURCE= bpftrace witness.bt $work >bpftrace.txt 2>&1 & witness=$!
                        until grep -q there bpftrace.txt; do kill -0 $witness || exit 1; sleep 0.1; done
                        $magnet hist -p udp_sendmsg len by cpu --pid $work >len.txt 2>len.err & one=$!
                        $magnet hist -p sys_exit ret --pid $work >ret.txt 2>ret.err & two=$!
                        $magnet count -p sys_exit by nr --pid $work --json --raw >nr.txt 2>nr.err & three=$!
                        $magnet read -p udp_sendmsg --filter "drop if tgid != $work" -o trace 2>trace.err & four=$!
                        for each in len ret nr; do
                            until grep -q counting $each.err; do sleep 0.1; done
                        done
                        until $magnet status | grep -q "udp_sendmsg  *read-"; do kill -0 $four || exit 1; sleep 0.1; done
                        echo >&3
                        wait $work || exit 1
                        kill -INT $witness; wait $witness
                        for each in $one $two $three $four; do
                            kill -TERM $each; wait $each || exit 1
                        done
                        $magnet hist --trace trace -p udp_sendmsg len by cpu >saved.txt 2>saved.err
                        """.formatted(folder, "$MAGNET_ROOT")).orFail();

        Map<String, List<String>> witnessed = witnessed(read("bpftrace.txt"));
        Map<String, List<String>> lengths = histograms("len", read("len.txt"));
        assertThat(lengths)
                .as(read("len.err"))
                .isEqualTo(only("len", witnessed))
                .isNotEmpty();
        assertThat(histograms("ret", read("ret.txt"))).isEqualTo(only("ret", witnessed));
        assertThat(only("ret", witnessed).get("ret")).first().asString().startsWith("(..., 0) ");
        assertThat(counts(read("nr.txt")))
                .isEqualTo(numbers("nr", read("bpftrace.txt")))
                .isNotEmpty();
        assertThat(histograms("len", read("saved.txt"))).as("of the trace").isEqualTo(lengths);
        for (String file : List.of("len.err", "ret.err", "nr.err")) {
            assertThat(read(file)).contains("none were lost");
        }
        assertThat(events(read("len.txt"))).isEqualTo((long) ROUNDS * LENGTHS.size());
    }

    @Test
    void shouldCountEachDatagramAtItsPortAndDevice() throws IOException {
        String counted = guest.sh(LIMIT, """
                        cd %s; root=%s; magnet=$root/sensor-java/bin/magnet
                        ip link set lo up
                        $magnet count -p netif_receive_skb by device,port --filter "drop if dport != %d" --json \\
                            >port.txt 2>port.err & reader=$!
                        until grep -q counting port.err; do kill -0 $reader || exit 1; sleep 0.1; done
                        echo | /usr/bin/python3 send.py >work.txt || exit 1
                        kill -TERM $reader; wait $reader || exit 1
                        cat port.txt
                        """.formatted(folder, "$MAGNET_ROOT", PORT))
                .orFail()
                .stdout();
        JsonObject object = Json.object(counted.strip());
        assertThat(object.get("lost").getAsLong()).isZero();
        assertThat(object.getAsJsonArray("groups")).singleElement().satisfies(element -> {
            JsonObject group = element.getAsJsonObject();
            assertThat(group.getAsJsonObject("names").get("device").getAsString())
                    .isEqualTo("lo");
            assertThat(group.getAsJsonObject("by").get("port").getAsInt()).isEqualTo(PORT);
            assertThat(group.get("count").getAsLong()).isEqualTo((long) ROUNDS * LENGTHS.size());
        });
    }

    @Test
    void shouldSayWhatAPointDoesNotHave() {
        Refusals.assertOneLine(
                guest.sh(LIMIT, "sensor-java/bin/magnet hist -p udp_sendmsg lenn"),
                1,
                "udp_sendmsg has no field lenn; did you mean len?");
    }

    /** Buckets of each map by its name, and its key behind it. */
    private static Map<String, List<String>> witnessed(String printed) {
        return sections(printed, MAP);
    }

    /** The same of what the command drew. */
    private static Map<String, List<String>> histograms(String name, String printed) {
        Map<String, List<String>> named = new TreeMap<>();
        sections(printed, TITLE).forEach((key, buckets) -> named.put(name + key, buckets));
        return named;
    }

    private static Map<String, List<String>> sections(String printed, Pattern heading) {
        Map<String, List<String>> sections = new TreeMap<>();
        String last = "";
        for (String line : printed.split("\n", -1)) {
            Matcher title = heading.matcher(line.strip());
            Matcher bucket = BUCKET.matcher(line);
            if (bucket.matches()) {
                sections.computeIfAbsent(last, key -> new ArrayList<>()).add(bucket.group(1) + " " + bucket.group(2));
            } else if (title.matches()) {
                last = heading == MAP ? title.group(1) + key(title.group(2)) : key(title.group(1));
            }
        }
        return sections;
    }

    private static String key(String number) {
        return number == null ? "" : "[" + number + "]";
    }

    private static Map<String, List<String>> only(String name, Map<String, List<String>> maps) {
        Map<String, List<String>> its = new TreeMap<>(maps);
        its.keySet().removeIf(each -> !each.equals(name) && !each.startsWith(name + "["));
        return its;
    }

    /** Values of a map of counts by its keys. */
    private static Map<Long, Long> numbers(String name, String printed) {
        Map<Long, Long> numbers = new TreeMap<>();
        for (String line : printed.split("\n", -1)) {
            Matcher matcher = MAP.matcher(line.strip());
            if (matcher.matches()
                    && matcher.group(1).equals(name)
                    && !matcher.group(3).isEmpty()) {
                numbers.put(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
            }
        }
        return numbers;
    }

    private static Map<Long, Long> counts(String json) {
        Map<Long, Long> counts = new TreeMap<>();
        for (JsonElement element : Json.object(json.strip()).getAsJsonArray("groups")) {
            JsonObject group = element.getAsJsonObject();
            counts.put(
                    group.getAsJsonObject("by").get("nr").getAsLong(),
                    group.get("count").getAsLong());
        }
        return counts;
    }

    private static long events(String drawn) {
        return drawn.lines()
                .map(TITLE::matcher)
                .filter(Matcher::matches)
                .mapToLong(title -> Long.parseLong(title.group(2)))
                .sum();
    }
}
