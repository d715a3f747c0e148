// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A function that a livepatch replaces while its entry is hooked, and one that is hooked when it is replaced already. */
@GuestTest
@ExtendWith(LoadedModule.class)
@Tag("stock")
final class LivepatchIT {
    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final int READS = 53;

    private final Guest guest;

    LivepatchIT(Guest guest) {
        this.guest = guest;
    }

    /** The patch takes the function's place; its entry stays hooked. */
    @Test
    void shouldCountCallsOfAFunctionThatALivepatchReplaces() {
        String kernel = guest.options().kernel();
        GuestProcess reader = guest.start("build/tools/magnet-read", "-i", "f:version_proc_show");
        guest.sh("until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = 1 ]; do sleep 0.1; done")
                .orFail();
        assertThat(readVersion(1)).startsWith("Linux version ");

        guest.run("insmod", KernelModule.livepatch(kernel).toString()).orFail();
        guest.sh(LIMIT, "until [ $(cat /sys/kernel/livepatch/magnet_livepatch/transition) = 0 ]; do sleep 0.1; done")
                .orFail();
        assertThat(readVersion(READS)).isEqualTo("patched\n".repeat(READS));

        // Somebody who comes when the patch is there already.
        GuestProcess late = guest.start("build/tools/magnet-read", "-i", "p:version_proc_show");
        guest.sh("until [ $(grep -c '=on' /sys/kernel/debug/magnet/control/events) = 2 ]; do sleep 0.1; done")
                .orFail();
        assertThat(readVersion(READS)).isEqualTo("patched\n".repeat(READS));

        guest.sh(
                        LIMIT,
                        "cd /sys/kernel/livepatch && echo 0 >magnet_livepatch/enabled"
                                + " && until [ ! -e magnet_livepatch ]; do sleep 0.1; done && rmmod magnet_livepatch")
                .orFail();
        assertThat(readVersion(1)).startsWith("Linux version ");

        assertThat(hits(reader)).isEqualTo(2 * READS + 2);
        assertThat(hits(late)).isEqualTo(READS + 1);
    }

    private String readVersion(int times) {
        return guest.sh("for i in {1.." + times + "}; do cat /proc/version; done")
                .orFail()
                .stdout();
    }

    private static int hits(GuestProcess reader) {
        reader.signal("INT");
        return reader.waitFor(LIMIT)
                .orFail()
                .stdout()
                .lines()
                .filter(line -> line.contains("version_proc_show"))
                .map(line -> line.replaceAll(".* hits (\\d+) committed (\\d+) .*", "$1"))
                .mapToInt(Integer::parseInt)
                .sum();
    }
}
