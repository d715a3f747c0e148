// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What "magnet" can select, change and watch, against the real module. Most events are markers of known numbers. */
@GuestTest(smp = 1)
final class FilterCommandsIT {
    private static final String MAGNET = "sensor-java/bin/magnet";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int MARKERS = 200;
    private static final Pattern NUMBER = Pattern.compile(" marker +number=(\\d+) ");

    private final Guest guest;

    FilterCommandsIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest);
    }

    @AfterEach
    void unload() {
        KernelModule.remove(guest);
    }

    private GuestResult magnet(String arguments) {
        return guest.sh(LIMIT, MAGNET + " " + arguments);
    }

    /** A command that prints what it prints when it is ready. */
    private GuestProcess start(String arguments) {
        GuestProcess command =
                guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + MAGNET + " " + arguments);
        command.awaitOutput("TIME", LIMIT);
        return command;
    }

    /** Markers of the numbers from 0, on one CPU, so that they are in order. */
    private void mark(int markers) {
        guest.sh(
                        LIMIT,
                        "taskset -pc 0 $$ >/dev/null; for ((i = 0; i < " + markers
                                + "; i++)); do echo $i >/dev/magnet/marker; done")
                .orFail();
    }

    private static GuestResult interrupt(GuestProcess command) {
        command.signal("INT");
        return command.waitFor(LIMIT).orFail();
    }

    private static List<Long> numbers(GuestResult result) {
        return result.stdout()
                .lines()
                .map(NUMBER::matcher)
                .filter(Matcher::find)
                .map(matcher -> Long.valueOf(matcher.group(1)))
                .toList();
    }

    private static List<Long> upTo(long end, long step) {
        return LongStream.range(0, end).filter(i -> i % step == 0).boxed().toList();
    }

    @Test
    void shouldPrintExactlyWhatTheRulesLetThrough() {
        GuestProcess reader = start("read -p marker --filter 'drop if id & 1'");
        mark(MARKERS);
        GuestResult read = interrupt(reader);
        assertThat(numbers(read)).isEqualTo(upTo(MARKERS, 2));
        assertThat(read.stderr())
                .isEqualTo("magnet: %d events printed; of %d hits none were lost, %d filtered%n"
                        .formatted(MARKERS / 2, MARKERS, MARKERS / 2));
    }

    @Test
    @Tag("long")
    void shouldPrintExactlyOneOfN() {
        GuestProcess reader = start("read -p marker --sample 7");
        mark(MARKERS);
        GuestResult read = interrupt(reader);
        assertThat(numbers(read)).isEqualTo(upTo(MARKERS, 7));
        assertThat(read.stderr()).contains("left out by sampling");
    }

    @Test
    @Tag("long")
    void shouldPrintTheTextsOfMarkers() {
        GuestProcess reader = start("read -p marker -n 1");
        guest.sh("printf '42 \"done\" \\033[31m' >/dev/magnet/marker").orFail();
        assertThat(reader.waitFor(LIMIT).orFail().stdout())
                .contains("number=42 len=15 text=\"42 \\\"done\\\" \\u001b[31m\"\n");
    }

    @Test
    void shouldPrintTheBytesOfPackets() {
        GuestProcess reader = guest.start(
                "bash",
                "-c",
                "exec " + MAGNET + " read -p udp_rcv --snap 64 --json -n 1 --filter 'drop if dport != 7007'");
        guest.sh(
                        LIMIT,
                        "until awk '$2 == \"udp_rcv\" && $5 > 0 { on = 1 } END { exit !on }'"
                                + " /sys/kernel/debug/magnet/control/events; do sleep 0.1; done;"
                                + " echo -n seven >/dev/udp/127.0.0.1/7007")
                .orFail();
        JsonObject event = Json.object(reader.waitFor(LIMIT).orFail().stdout().strip());
        int captured = event.getAsJsonObject("fields").get("captured").getAsInt();
        String packet = event.getAsJsonObject("fields").get("packet").getAsString();
        assertThat(packet).hasSize(2 * captured).contains("736576656e");
    }

    /** Emulated processors have no hardware that counts, so what the kernel itself counts stands for all. */
    @Test
    @Tag("long")
    void shouldReadCountersWithEachEvent() {
        GuestProcess reader = start("read -p marker --counters cpu-clock,context_switches");
        mark(2);
        assertThat(magnet("filters").orFail().stdout())
                .containsPattern("(?m)^ *\\d+ +marker +read-\\d+ +- +- +- +cpu_clock,context_switches +2 +2 +0 +0$");
        GuestResult read = interrupt(reader);
        assertThat(numbers(read)).isEqualTo(upTo(2, 1));
        Pattern counters = Pattern.compile(
                "(?s).* marker +number=0 .* counters .* cpu_clock=(\\d+) context_switches=(\\d+)\n.* marker +number=1 .*"
                        + " counters .* cpu_clock=(\\d+) context_switches=(\\d+)\n");
        Matcher matcher = counters.matcher(read.stdout());
        assertThat(matcher.matches()).as(read.toString()).isTrue();
        assertThat(Long.parseLong(matcher.group(3))).isGreaterThan(Long.parseLong(matcher.group(1)));
        assertThat(Long.parseLong(matcher.group(4))).isGreaterThanOrEqualTo(Long.parseLong(matcher.group(2)));
    }

    @Test
    @Tag("long")
    void shouldGiveASubscriptionCountersAndTakeThem() {
        GuestProcess reader = start("read -p marker");
        String id = subscription();
        mark(1);
        assertThat(magnet("filters --subscription " + id + " --counters cpu_clock")
                        .orFail()
                        .stdout())
                .contains(" cpu_clock ");
        mark(1);
        assertThat(magnet("filters --subscription " + id + " --counters none")
                        .orFail()
                        .stdout())
                .doesNotContain("cpu_clock");
        mark(1);
        assertThat(interrupt(reader).stdout().lines().skip(1).map(line -> line.contains(" counters ")))
                .containsExactly(false, false, true, false);
        assertOneLine(
                magnet("filters --subscription " + id + " --counters cache"),
                2,
                "--counters wants none, or up to 4",
                "cache_misses");
    }

    /** The id of the only one of markers. */
    private String subscription() {
        return new ModuleState(guest)
                .filters().stream()
                        .filter(line -> line.contains(" marker "))
                        .findFirst()
                        .orElseThrow()
                        .split(" ", -1)[0];
    }

    @Test
    void shouldChangeASubscriptionWhileEventsFlow() {
        GuestProcess reader = start("read -p marker");
        String id = subscription();

        GuestResult added = magnet("filters --subscription " + id + " --add 'drop if id >= 100'")
                .orFail();
        String rule =
                added.stdout().lines().reduce("", (first, last) -> last).strip().split(" +", -1)[1];
        mark(MARKERS);
        magnet("filters --subscription " + id + " --add 'log if id == 150' --before " + rule)
                .orFail();
        mark(MARKERS);
        GuestResult listed = magnet("filters").orFail();
        assertThat(listed.stdout())
                .containsPattern("(?m)^ *" + id + " +marker +read-\\d+ +- +- +- +- +400 +201 +199 +0$")
                .containsPattern("(?m)^ *" + id + " +\\d+ +1 +log if id == 150\n *" + id + " +" + rule
                        + " +199 +drop if id >= 100$");

        magnet("filters --subscription " + id + " --remove " + rule).orFail();
        magnet("filters --subscription " + id
                        + " --set 'drop if id & 1; drop if id & 2' --sample 5 --sample-interval 0")
                .orFail();
        mark(MARKERS);
        assertThat(magnet("filters --subscription " + id).orFail().stdout())
                .containsPattern("(?m)^ *" + id + " +marker +read-\\d+ +1/5 +- +- +- +600 +211 +229 +160$");
        assertThat(numbers(interrupt(reader))).hasSize(100 + 101 + 10);
    }

    @Test
    @Tag("long")
    void shouldSayWhatIsWrongWithARule() {
        assertOneLine(
                magnet("read -p marker --filter 'keep all'"), 2, "a rule begins with log, drop", "magnet help rules");
        assertOneLine(magnet("read -p marker --snap 64"), 1, "no packet");
        assertOneLine(magnet("filters --subscription 1000000 --add log"), 1, "there is no subscription of this id");
        assertOneLine(magnet("filters --subscription 1000000"), 1, "there is no subscription 1000000");
    }

    @Test
    @Tag("long")
    void shouldDisableAndEnablePoints() {
        GuestProcess reader = start("read -p udp_rcv --filter 'drop if dport != 7007'");
        send(20);
        assertThat(magnet("points --disable udp_rcv").orFail().stdout()).contains("disabled (1)");
        send(30);
        assertThat(magnet("points --enable udp_rcv").orFail().stdout()).contains("on (1)");
        send(5);
        GuestResult read = interrupt(reader);
        assertThat(read.stdout().lines().filter(line -> line.contains(" udp_rcv ")))
                .hasSize(25);
    }

    private void send(int datagrams) {
        guest.sh(LIMIT, "for ((i = 0; i < " + datagrams + "; i++)); do echo x >/dev/udp/127.0.0.1/7007; done")
                .orFail();
    }

    @Test
    @Tag("long")
    void shouldGuardAPointAgainstStorms() {
        GuestProcess reader = start("read -p marker");
        assertThat(magnet("points --storm-guard marker=1/10").orFail().stdout()).contains("on (1), guard 1/10");
        mark(MARKERS);
        assertThat(magnet("points --storm-guard marker=0").orFail().stdout())
                .contains("on (1)")
                .doesNotContain("guard 1");
        GuestResult status = magnet("status").orFail();
        mark(1);
        GuestResult read = interrupt(reader);
        long refused = Long.parseLong(status.stdout()
                .lines()
                .filter(line -> line.contains(" marker "))
                .findFirst()
                .orElseThrow()
                .strip()
                .split(" +", -1)[10]);
        assertThat(refused).as("in a table that begins with ID").isPositive();
        assertThat(numbers(read).size() + refused).isEqualTo(MARKERS + 1L);
        assertThat(read.stderr()).contains("of " + (MARKERS + 1) + " hits " + refused + " were lost");
    }

    @Test
    @Tag("long")
    void shouldWatchWhatPassesTheRules() {
        GuestProcess reader = start("read -p marker");
        GuestProcess watch = start("watch -p marker --filter 'drop if id != 77'");
        mark(MARKERS);
        watch.awaitOutput("number=77 ", LIMIT);
        GuestResult watched = interrupt(watch);
        assertThat(numbers(watched)).containsExactly(77L);
        assertThat(numbers(interrupt(reader))).as("the others flow").isEqualTo(upTo(MARKERS, 1));
    }

    @Test
    void shouldWatchForNotices() {
        GuestProcess watch = start("watch");
        GuestProcess reader = start("read -p marker --filter 'urgent if id == 77'");
        mark(MARKERS);
        watch.awaitOutput("urgents=1\n", LIMIT);
        assertThat(numbers(interrupt(reader))).as("urgent or not").isEqualTo(upTo(MARKERS, 1));
        GuestResult watched = interrupt(watch);
        assertThat(watched.stdout().lines().skip(1))
                .singleElement()
                .asString()
                .matches(
                        "\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  urgent  point=marker buffer=read-\\d+ subscription=\\d+ urgents=1");
        assertThat(watched.stderr()).isEqualTo("magnet: 1 notice printed\n");
    }

    @Test
    @Tag("long")
    void shouldEndWatchesWhenTheModuleIsUnloaded() {
        GuestProcess watch = start("watch");
        magnet("unload").orFail();
        assertThat(watch.waitFor(LIMIT).orFail().stderr()).contains("the kernel module was unloaded");
        KernelModule.load(guest);
    }
}
