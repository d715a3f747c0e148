// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Does the kernel that looks for data races see one in the module, and do we see that it does? The console is quiet, so
 * that what is reported on purpose is in the kernel's log alone, where it can be cleared.
 */
@GuestTest(append = "loglevel=1")
@Tag("kcsan")
final class DataRaceIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;

    DataRaceIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldFindARaceInTheModule() {
        KernelModule.load(guest);
        guest.run("insmod", KernelModule.race(guest.options().kernel()).toString())
                .orFail();

        GuestResult seen =
                guest.sh(LIMIT, "until dmesg | grep -q 'BUG: KCSAN: data-race in .*magnet_decode'; do sleep 0.5; done");

        guest.run("rmmod", "magnet_race").orFail();
        GuestResult check = guest.sh("dmesg >/tmp/log && integration-tests/harness/check-kernel-log /tmp/log");
        assertThat(seen.exitCode()).isZero();
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(1);
        assertThat(check.stdout()).containsPattern("> .*BUG: KCSAN: data-race in .*magnet_decode \\[magnet\\]");
        KernelModule.remove(guest);
        guest.run("dmesg", "--clear").orFail();
        KernelModule.load(guest); // it leaves a line: an empty log is no log
    }
}
