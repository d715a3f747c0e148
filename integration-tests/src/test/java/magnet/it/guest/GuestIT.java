// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a test can do with its guest. */
@GuestTest
final class GuestIT {
    private final Guest guest;

    GuestIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldReportOutputAndExitCode() {
        GuestResult result = guest.sh("echo to stdout; echo to stderr >&2; exit 42");

        assertThat(result.exitCode()).isEqualTo(42);
        assertThat(result.stdout()).isEqualTo("to stdout\n");
        assertThat(result.stderr()).isEqualTo("to stderr\n");
    }

    @Test
    void shouldKeepArgumentsAsTheyAre() {
        String odd = " a b\t'\"$HOME`*\\\nlast ";

        assertThat(guest.run("printf", "%s|", odd, "", "ä").stdout()).isEqualTo(odd + "||ä|");
    }

    @Test
    void shouldReportMissingCommandWhenThereIsNone() {
        assertThat(guest.run("no-such-command").exitCode()).isEqualTo(127);
        assertThatThrownBy(() -> guest.run("no-such-command").orFail())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit code 127")
                .hasMessageContaining("not found");
    }

    @Test
    void shouldBringBackBigOutput() {
        GuestResult result = guest.run("seq", "1", "1000000");

        assertThat(result.stdout()).hasSize(6_888_896).endsWith("\n1000000\n");
    }

    @Test
    void shouldKillCommandWhenLimitPasses() {
        assertThatThrownBy(() -> guest.sh(Duration.ofMillis(300), "echo begun; sleep 4321"))
                .isInstanceOf(GuestTimeoutException.class)
                .hasMessageContaining("begun")
                .as("what ran in the guest")
                .hasMessageContaining("WCHAN");
        guest.sh("for try in {1..100}; do pgrep -f 'sleep 432[1]' >/dev/null || exit 0; sleep 0.1; done; exit 1")
                .orFail();
    }

    @Test
    void shouldRunProcessBesideOthersUntilSignalled() {
        GuestProcess process = guest.start("bash", "-c", "trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done");
        process.awaitOutput("up", Duration.ofSeconds(20));

        assertThat(guest.run("test", "-d", "/proc/" + process.pid()).exitCode()).isZero();
        assertThat(process.isAlive()).isTrue();
        process.signal("TERM");

        assertThat(process.waitFor(Duration.ofSeconds(20)).exitCode()).isEqualTo(7);
        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void shouldTellTheTimeByTheGuestsClock() {
        Instant before = Instant.ofEpochSecond(
                Long.parseLong(guest.run("date", "+%s").orFail().stdout().trim()));
        Instant now = guest.now();
        Instant after = Instant.ofEpochSecond(
                Long.parseLong(guest.run("date", "+%s").orFail().stdout().trim()));

        assertThat(now).isBetween(before, after.plusSeconds(1));
    }

    @Test
    void shouldFeedStandardInput() {
        GuestProcess process = guest.start("three\nlines\n\n", List.of("wc", "-l"));

        assertThat(process.waitFor(Duration.ofSeconds(20)).stdout()).isEqualTo("3\n");
    }

    @Test
    void shouldCarryFilesBothWays(@TempDir Path folder) throws Exception {
        Path sent = Files.writeString(folder.resolve("sent"), "from the host\n");

        guest.push(sent, "/etc/magnet-test");
        guest.sh("echo from the guest >>/etc/magnet-test").orFail();
        Path fetched = guest.fetch("/etc/magnet-test", folder.resolve("fetched"));

        assertThat(fetched).hasContent("from the host\nfrom the guest\n");
        assertThat(guest.read("/etc/magnet-test")).isEqualTo("from the host\nfrom the guest\n");
        assertThat(Path.of("/etc/magnet-test")).doesNotExist();
    }

    @Test
    void shouldShareFolderUnderSamePath() throws Exception {
        Path file = guest.share().resolve("written-by-guest");

        guest.sh("echo shared >" + file).orFail();

        assertThat(file).hasContent("shared\n");
    }

    @Test
    void shouldHaveWhatRunningSystemHas() {
        guest.sh("""
                        set -ex
                        [ "$(hostname)" = magnet-guest ]
                        getent hosts magnet-guest localhost
                        [ "$(id -u)" = 0 ]
                        [ "$PWD" = "$MAGNET_ROOT" ]
                        [ -d /sys/kernel/debug/tracing ] && [ -d /sys/kernel/tracing/events ]
                        [ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" = tsc ]
                        ip link show lo | grep -q LOWER_UP
                        [ -z "$(ls -d /sys/class/net/*/device 2>/dev/null)" ]
                        ip netns add n && ip link add name v0 type veth peer name v1 netns n
                        java -version
                        echo to stderr >/dev/stderr
                        touch /usr/written-in-guest
                        """).orFail();
        assertThat(Path.of("/usr/written-in-guest")).doesNotExist();
    }

    @Test
    void shouldHaveDaemonsAndWitnessesOfItsOwn() {
        guest.sh("""
                        set -ex
                        gmond --version
                        gmetric --version
                        bpftrace --version
                        tcpdump --version
                        iperf3 --version
                        strace --version
                        id ganglia
                        """).orFail();
    }

    @Test
    void shouldRaiseNmiWhenMonitorIsAsked() {
        long before = nmis();

        guest.monitor("nmi");

        Awaitility.await()
                .atMost(guest.options().scaled(Duration.ofSeconds(20)))
                .until(() -> nmis() > before);
    }

    private long nmis() {
        String sum =
                "awk '$1 == \"NMI:\" { for (i = 2; $i ~ /^[0-9]/; i++) n += $i } END { print n + 0 }' /proc/interrupts";
        return Long.parseLong(guest.sh(sum).orFail().stdout().strip());
    }
}
