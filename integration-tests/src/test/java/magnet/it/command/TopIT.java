// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOnlyOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** "magnet top" against the real module. */
@GuestTest(smp = 1)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TopIT {
    private static final String TOP = "sensor-java/bin/magnet top ";
    private static final String NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int DATAGRAMS = 101;

    private final Guest guest;
    private final ModuleState module;

    TopIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
    }

    /** One that Ctrl-C would end. */
    private GuestProcess start(String arguments) {
        return guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + TOP + arguments);
    }

    @Test
    @Order(0)
    void shouldSayInOneLineWhatIsMissing() {
        assertOnlyOneLine(guest.sh(LIMIT, TOP + "-n 1"), 1, "the kernel module is not loaded");
        KernelModule.load(guest);
        assertOnlyOneLine(guest.sh(LIMIT, NOBODY + TOP + "-n 1"), 1, "CAP_PERFMON", "root");
    }

    @Test
    @Order(1)
    void shouldCountExactlyAndNameWhoWasBusy() {
        KernelModule.loadUnlessLoaded(guest);
        // Its name would clear the screen if a terminal got it as it is.
        guest.sh("cp build/tools/burner $'/tmp/b\\e[2Jx'").orFail();
        GuestProcess busy = guest.start("bash", "-c", "exec $'/tmp/b\\e[2Jx' 900000 1000000 600");
        GuestProcess top = start("-i 2 -n 8 --buffer-size 4M");
        top.awaitOutput("magnet top", LIMIT);
        guest.run(LIMIT, "build/tools/udp_mix", "" + DATAGRAMS, "9").orFail();
        GuestResult result = top.waitFor(LIMIT).orFail();
        busy.kill();

        String last = result.stdout().substring(result.stdout().lastIndexOf("\nmagnet top") + 1);
        assertThat(result.stdout().lines().filter(line -> line.startsWith("magnet top")))
                .as(result.stdout())
                .hasSize(8);
        assertThat(last)
                .containsPattern("(?m)^LOST 0 \\(0 since start\\)  events \\d+/s")
                .containsPattern("(?m)^udp_sendmsg +[0-9.]+ +" + DATAGRAMS + "$")
                .containsPattern("(?m)^run queue wait +[0-9.]+u?m?s +[0-9.]+u?m?s +[0-9.]+u?m?s$")
                .doesNotContain("without ");
        assertThat(result.stdout())
                .doesNotContain("\033")
                .containsPattern("(?m)^UDP send +[0-9.]+[um]s")
                .containsPattern("(?m)^ *" + busy.pid() + " +[0-9.]+ +[0-9.]+ +[0-9.]+  b\\\\x1b\\[2Jx$");
        List<MatchResult> processes = Pattern.compile("(?m)^ *(\\d+) +([0-9.]+) +[0-9.]+ +[0-9.]+  \\S")
                .matcher(last.substring(last.indexOf("PROCESS\n")))
                .results()
                .toList();
        assertThat(processes).extracting(row -> row.group(1)).contains("" + busy.pid());
        assertThat(processes)
                .as("who had most CPU time comes first")
                .extracting(row -> Double.valueOf(row.group(2)))
                .isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(result.stderr()).matches("magnet: (\\d+) events read; of \\1 hits none were lost\n");
        module.awaitNothingOn();
    }

    @Test
    @Tag("long")
    @Order(2)
    void shouldNotHideLosses() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess top = start("-i 1 --buffer-size 64K -p marker");
        top.awaitOutput("magnet top", LIMIT);
        top.signal("STOP");
        guest.sh("for ((i = 0; i < 4000; i++)); do echo $i >/dev/magnet/marker; done")
                .orFail();
        top.signal("CONT");
        top.awaitOutput("\nmarker ", LIMIT);
        top.signal("INT");
        GuestResult result = top.waitFor(LIMIT).orFail();

        assertThat(result.stdout())
                .containsPattern("(?m)^LOST [1-9]\\d* \\([1-9]\\d* since start\\)")
                .contains("events were lost: what follows is too low")
                .containsPattern("(?m)^marker +[1-9]\\d* +0 +0 +0 +0 +4000$");
        assertThat(result.stderr()).containsPattern("of \\d+ hits [1-9]\\d* were lost");
        module.awaitNothingOn();
    }

    @Test
    @Tag("long")
    @Order(3)
    void shouldRedrawOnATerminalAndLeaveItAsItWas() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess terminal = guest.start(
                "env",
                "--default-signal=INT",
                "TERM=xterm",
                "script",
                "-qfec",
                "stty rows 20 cols 70; stty -a | head -1 >/tmp/size; exec " + TOP + "-i 1",
                "/dev/null");
        terminal.awaitOutput("magnet top", LIMIT);
        guest.sh("kill -INT $(pgrep -f 'magnet[.]cli[.]MagnetCommand top')").orFail();
        GuestResult result = terminal.waitFor(LIMIT);

        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(guest.read("/tmp/size")).contains("rows 20; columns 70");
        String drawn = result.stdout();
        int end = drawn.indexOf("\033[?25h\033[?1049l");
        assertThat(end).as(drawn).isPositive();
        assertThat(drawn.indexOf("\033[?1049h\033[?25l\033[Hmagnet top")).isNotNegative();
        assertThat(drawn.substring(end)).contains("events read; of ").doesNotContain("magnet top");
        for (String frame : drawn.substring(0, end).replace("\r", "").split("\033\\[H", -1)) {
            assertThat(frame.lines()).hasSizeLessThanOrEqualTo(20);
            assertThat(frame.replaceAll("\033\\[[?0-9]*[A-Za-z]", "").lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(70));
        }
        module.awaitNothingOn();
    }

    /** Who sits at the terminal presses a key as soon as they see what the one before brought about. */
    @Tag("long")
    @Test
    @Order(4)
    void shouldObeyKeys() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess terminal = guest.start("bash", "-c", """
                mkfifo /tmp/keys
                sleep 600 >/tmp/keys & echo $! >/tmp/keeper
                TERM=xterm exec script -qfec 'sensor-java/bin/magnet top; echo ended $?; stty -a >/tmp/modes' /dev/null </tmp/keys
                """);
        terminal.awaitOutput("*CPU %", LIMIT);
        guest.sh("printf w >/tmp/keys").orFail();
        terminal.awaitOutput("*WAIT %", LIMIT);
        guest.sh("printf ' ' >/tmp/keys").orFail();
        terminal.awaitOutput("HELD", LIMIT);
        guest.sh("printf '?' >/tmp/keys").orFail();
        terminal.awaitOutput("any key goes back", LIMIT);
        guest.sh("printf 'x fnobody' >/tmp/keys").orFail();
        terminal.awaitOutput("name: nobody_", LIMIT);
        guest.sh("printf '\\r' >/tmp/keys").orFail();
        terminal.awaitOutput("only name nobody", LIMIT);
        guest.sh("printf q >/tmp/keys").orFail();
        terminal.awaitOutput("ended 0", LIMIT);
        guest.sh("kill $(cat /tmp/keeper)").orFail();
        terminal.waitFor(LIMIT);

        assertThat(guest.read("/tmp/modes")).contains(" icanon ", " echo ");
        module.awaitNothingOn();
    }

    /** By a shell that, unlike bash, leaves the terminal as a command left it that is stopped. */
    @Test
    @Tag("long")
    @Order(5)
    void shouldGiveTheTerminalBackWhileItIsStopped() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess terminal = guest.start("bash", "-c", """
                mkfifo /tmp/typed
                sleep 600 >/tmp/typed & echo $! >/tmp/keeper
                PS1='ready> ' TERM=xterm exec script -qfec 'sh -im' /dev/null </tmp/typed
                """);
        terminal.awaitOutput("ready> ", LIMIT);
        guest.sh("echo 'stty -a >/tmp/before; sensor-java/bin/magnet top -i 1' >/tmp/typed")
                .orFail();
        terminal.awaitOutput("*CPU %", LIMIT);
        guest.sh("printf '\\032' >/tmp/typed").orFail();
        terminal.awaitOutput("Stopped", LIMIT);
        guest.sh("echo 'stty -a >/tmp/stopped; echo \"shell\" is back' >/tmp/typed")
                .orFail();
        terminal.awaitOutput("shell is back", LIMIT);
        guest.sh("echo fg >/tmp/typed").orFail();
        guest.sh(
                        LIMIT,
                        "until stty -a <$(readlink /proc/$(pgrep -f 'magnet[.]cli[.]MagnetCommand top')/fd/0)"
                                + " | grep -q -- ' -icanon '; do sleep 0.2; done")
                .orFail();
        guest.sh("printf w >/tmp/typed").orFail();
        terminal.awaitOutput("*WAIT %", LIMIT);
        guest.sh("printf q >/tmp/typed").orFail();
        guest.sh(LIMIT, "while pgrep -f 'magnet[.]cli[.]MagnetCommand top'; do sleep 0.2; done")
                .orFail();
        guest.sh("echo 'stty -a >/tmp/after; echo \"shell\" ends; exit' >/tmp/typed")
                .orFail();
        terminal.awaitOutput("shell ends", LIMIT);
        guest.sh("kill $(cat /tmp/keeper)").orFail();
        String drawn = terminal.waitFor(LIMIT).stdout();

        assertThat(guest.read("/tmp/stopped")).isEqualTo(guest.read("/tmp/before"));
        assertThat(guest.read("/tmp/after")).isEqualTo(guest.read("/tmp/before"));
        assertThat(guest.read("/tmp/before")).contains(" icanon ", " echo ");
        int stopped = drawn.indexOf("Stopped");
        assertThat(drawn.substring(0, stopped)).contains("\033[?1049h").contains("\033[?25h\033[?1049l");
        assertThat(drawn.substring(stopped)).contains("\033[?1049h").contains("\033[?25h\033[?1049l");
        assertThat(drawn.substring(stopped, drawn.indexOf("shell is back"))).doesNotContain("\033[H");
        module.awaitNothingOn();
    }

    @Tag("long")
    @Test
    @Order(6)
    void shouldPrintAnObjectForEachWindowThatCountsExactly() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess top = start("--json -i 2 -n 8 --buffer-size 4M");
        top.awaitOutput("{", LIMIT);
        guest.run(LIMIT, "build/tools/udp_mix", "" + DATAGRAMS, "9").orFail();
        GuestResult result = top.waitFor(LIMIT).orFail();

        List<JsonObject> windows = result.stdout().lines().map(Json::object).toList();
        assertThat(windows).hasSize(8);
        JsonObject last = windows.get(7);
        assertThat(last.get("lost_since_start").getAsLong()).isZero();
        assertThat(total(last, "udp_sendmsg")).isEqualTo(DATAGRAMS);
        assertThat(windows)
                .flatExtracting(window -> window.getAsJsonArray("processes").asList())
                .as("its own process ran")
                .filteredOn(process -> process.getAsJsonObject().get("own").getAsBoolean())
                .isNotEmpty()
                .extracting(process -> process.getAsJsonObject().get("pid").getAsLong())
                .containsOnly(top.pid());
        module.awaitNothingOn();
    }

    private static long total(JsonObject window, String event) {
        for (JsonElement each : window.getAsJsonArray("events")) {
            if (each.getAsJsonObject().get("event").getAsString().equals(event)) {
                return each.getAsJsonObject().get("total").getAsLong();
            }
        }
        return 0;
    }

    /** Others go over loopback meanwhile; the program that sends says how many of each there are. */
    @Tag("long")
    @Test
    @Order(7)
    void shouldLogTheEventsOfOneDeviceAlone() {
        KernelModule.loadUnlessLoaded(guest);
        guest.sh("""
                sysctl -qw net.ipv6.conf.default.disable_ipv6=1
                ip netns add toppeer
                ip link add mt0 index 77 type veth peer name mt1 netns toppeer
                ip link set mt0 arp off up
                ip address add 10.19.0.1/24 dev mt0
                ip -n toppeer link set mt1 arp off up
                """).orFail();
        GuestProcess top = start("--json -i 2 -n 8 --buffer-size 4M --device mt0");
        top.awaitOutput("{", LIMIT);
        guest.sh(LIMIT, """
                for ((i = 0; i < %d; i++)); do echo x >/dev/udp/10.19.0.2/9; done
                for ((i = 0; i < 53; i++)); do echo x >/dev/udp/127.0.0.1/9; done
                """.formatted(DATAGRAMS));
        GuestResult result = top.waitFor(LIMIT).orFail();
        guest.sh("ip link delete mt0; ip netns delete toppeer").orFail();

        JsonObject last = Json.object(
                result.stdout().lines().reduce((one, other) -> other).orElseThrow());
        assertThat(total(last, "udp_sendmsg")).isEqualTo(DATAGRAMS + 53);
        assertThat(total(last, "dev_queue_xmit")).isEqualTo(DATAGRAMS);
        assertThat(last.get("lost_since_start").getAsLong()).isZero();
        assertOnlyOneLine(guest.sh(LIMIT, TOP + "--device mt0"), 1, "there is no device 'mt0'");
        module.awaitNothingOn();
    }

    @Tag("long")
    @Test
    @Order(8)
    void shouldShowTheProcessesOfOneJobAlone() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess busy = guest.start("build/tools/burner", "300000", "1000000", "600");
        GuestProcess other = guest.start("build/tools/burner", "300000", "1000000", "600");
        guest.sh("mkdir -p /sys/fs/cgroup/topjob && echo " + busy.pid() + " >/sys/fs/cgroup/topjob/cgroup.procs")
                .orFail();
        GuestResult result =
                guest.sh(LIMIT, TOP + "--json -i 2 -n 3 --job topjob").orFail();
        busy.kill();
        other.kill();

        assertThat(result.stdout().lines().map(Json::object))
                .hasSize(3)
                .allSatisfy(
                        window -> assertThat(window.getAsJsonArray("processes").asList())
                                .extracting(process ->
                                        process.getAsJsonObject().get("pid").getAsLong())
                                .containsExactly(busy.pid()));
        module.awaitNothingOn();
    }

    @Test
    @Order(9)
    void shouldEndWhenTheModuleIsUnloaded() {
        KernelModule.loadUnlessLoaded(guest);
        GuestProcess top = start("-i 1");
        top.awaitOutput("magnet top", LIMIT);
        guest.run(LIMIT, "sensor-java/bin/magnet", "unload").orFail();
        GuestResult result = top.waitFor(LIMIT);

        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.stderr()).contains("somebody else removed the buffer");
        assertThat(module.isLoaded()).isFalse();
    }
}
