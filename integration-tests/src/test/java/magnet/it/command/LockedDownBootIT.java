// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A kernel that was booted as Secure Boot boots it: it refuses our unsigned module, and the user learns why. */
@GuestTest(smp = 1, append = "lockdown=integrity")
@Tag("stock")
final class LockedDownBootIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;

    LockedDownBootIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldSayWhyTheModuleCannotBeLoadedAndWhatToDo() {
        String file = KernelModule.file(guest.options().kernel()).toString();

        GuestResult refused = guest.run("insmod", file);
        GuestResult status = guest.run(LIMIT, "sensor-java/bin/magnet", "status");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("Operation not permitted");
        assertThat(guest.sh("dmesg").stdout()).contains("Lockdown: insmod: unsigned module loading is restricted");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.stderr())
                .contains(
                        "the kernel module is not loaded",
                        "locked down, integrity: the kernel refuses modules that are not signed",
                        "mokutil --import");
    }
}
