// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What "magnet" makes of buffers, and correlating filters, which write to one, against the real module. */
@GuestTest
final class BufferCommandsIT {
    private static final String MAGNET = "sensor-java/bin/magnet";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;

    BufferCommandsIT(Guest guest) {
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

    private void mark(String numbers) {
        guest.sh(LIMIT, "for i in " + numbers + "; do echo $i >/dev/magnet/marker; done")
                .orFail();
    }

    private static String find(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }

    @Test
    @Tag("long")
    void shouldMakeBuffersThatStay() {
        assertThat(magnet("buffers").orFail().stdout()).isEqualTo("no buffers\n");
        assertThat(magnet("buffers --create mine --buffer-size 100K").orFail().stdout())
                .containsPattern("(?m)^mine +persistent +128 +keep +0 +0$")
                .containsPattern("(?m)^mine +0 +\\d+ +\\d+ +0% +0 +0$")
                .containsPattern("(?m)^mine +1 +\\d+ +\\d+ +0% +0 +0$");
        assertOneLine(magnet("buffers --create mine"), 1, "create buffer mine");
        assertThat(magnet("buffers --remove mine").orFail().stdout()).isEmpty();
        assertThat(magnet("buffers").orFail().stdout()).isEqualTo("no buffers\n");
        assertOneLine(magnet("buffers --remove mine"), 1, "there is no buffer of this name");
    }

    @Test
    void shouldResizeABufferWhileItIsRead() {
        GuestProcess reader =
                guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + MAGNET + " read -p marker");
        reader.awaitOutput("TIME", LIMIT);
        String name = find(
                "(?m)^(read-\\d+) +port \\d+ +256 ", magnet("buffers").orFail().stdout());
        mark("{1..100}");
        assertThat(magnet("buffers --resize " + name + " --buffer-size 1000K")
                        .orFail()
                        .stdout())
                .containsPattern("(?m)^" + name + " +port \\d+ +1024 +keep +5 +0$");
        mark("{101..200}");
        reader.awaitOutput(" number=200 ", LIMIT);
        reader.signal("INT");
        GuestResult read = reader.waitFor(LIMIT).orFail();
        assertThat(read.stdout().lines().filter(line -> line.contains(" number=")))
                .hasSize(200);
        assertThat(read.stderr()).isEqualTo("magnet: 200 events printed; of 200 hits none were lost\n");
        assertThat(magnet("buffers --resize " + name + " --buffer-size 1M").stderr())
                .isEqualTo("magnet: resize buffer " + name
                        + ": there is no buffer of this name; \"magnet buffers\" lists them (ENOENT)\n");
    }

    @Test
    @Tag("long")
    void shouldTakeSnapshotsOfFlightRecorders() {
        assertThat(magnet("buffers --create box --buffer-size 64K --flight-recorder")
                        .orFail()
                        .stdout())
                .containsPattern("(?m)^box +persistent +64 +flight-recorder +0 +0$");
        assertThat(magnet("buffers --snapshot box --to copy").orFail().stdout())
                .containsPattern("(?m)^copy +persistent +64 +\\S+ +0 +0$")
                .doesNotContain("box");
        assertThat(magnet("buffers").orFail().stdout())
                .containsPattern("(?m)^box ")
                .containsPattern("(?m)^copy ");
        magnet("buffers --create plain").orFail();
        assertOneLine(
                magnet("buffers --snapshot plain --to other"), 1, "snapshot buffer plain: only a flight recorder");
    }

    /** The kernel says where a thread ran last. magnetk runs every second, and events are logged on the other CPU. */
    @Test
    @Tag("long")
    void shouldRunTheModulesThreadsOnTheCpusThatTheyArePutOn() {
        magnet("buffers --create found").orFail();
        magnet("filters --correlate 'burst marker more than 2 in 1h' --buffer found")
                .orFail();
        for (int cpu = 1; cpu >= 0; cpu--) {
            guest.sh(LIMIT, """
                            control=/sys/kernel/debug/magnet/control
                            threads="$(pgrep '^magnet-corr/') $(pgrep -x magnetk)"
                            for thread in $threads; do taskset -pc %1$d $thread || exit; done
                            for i in 1 2 3; do taskset -c %2$d bash -c 'echo 7 >/dev/magnet/marker'; done
                            until grep -Eq '^correlation [0-9]+ found matched %3$d ' $control/filters; do sleep 0.2; done
                            for thread in $threads; do
                                until [[ $(sed 's/.*) //' /proc/$thread/stat | cut -d ' ' -f 37) == %1$d ]]; do sleep 0.2; done
                                [[ $(taskset -pc $thread) == *": %1$d" ]] || exit
                            done
                            """.formatted(cpu, 1 - cpu, 2 - cpu)).orFail();
        }
    }

    @Test
    void shouldMakeAndDeleteCorrelatingFilters() {
        magnet("buffers --create found").orFail();
        String definition = "burst marker more than 2 in 1h";
        String line = "(?m)^ *(\\d+) +found +persistent +%d +0 +0 +0 +" + definition + "$";
        String id = find(
                line.formatted(0),
                magnet("filters --correlate '" + definition + "' --buffer found")
                        .orFail()
                        .stdout());
        mark("7 8 7 9 7 8");
        guest.sh(
                        LIMIT,
                        "until grep -Eq '^correlation " + id
                                + " found matched 1 ' /sys/kernel/debug/magnet/control/filters; do"
                                + " sleep 0.2; done")
                .orFail();
        assertThat(magnet("filters").orFail().stdout()).containsPattern(line.formatted(1));
        assertThat(magnet("filters --remove-correlation " + id).orFail().stdout())
                .isEmpty();
        assertThat(magnet("filters").orFail().stdout()).isEqualTo("no subscriptions\n");
        assertOneLine(
                magnet("filters --correlate nonsense --buffer found"),
                1,
                "correlate nonsense: a correlating filter is ");
    }
}
