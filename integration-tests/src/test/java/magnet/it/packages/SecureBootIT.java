// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node whose kernel takes only modules that are signed with a key it trusts, as Secure Boot boots it. */
@GuestTest(machine = true, append = "lockdown=integrity")
@Tag("packages")
final class SecureBootIT {
    private final Guest guest;
    private final Node node;

    SecureBootIT(Guest guest) {
        this.guest = guest;
        node = new Node(guest);
    }

    @Test
    void shouldInstallAndSayHowTheKernelLearnsToTrustTheModule() {
        node.awaitBoot();

        GuestResult installed = node.install("build/deb");

        assertThat(installed.stdout())
                .contains("magnet-dkms: this machine's kernel takes only modules that are signed")
                .contains("mokutil --import /var/lib/dkms/mok.pub");
        assertThat(guest.sh("test -s /var/lib/dkms/mok.pub && modinfo -F signer magnet")
                        .orFail()
                        .stdout())
                .as("signed with the key that is to be enrolled")
                .isNotBlank();
        assertThat(new ModuleState(guest).isLoaded()).isFalse();
        assertThat(guest.sh("dpkg-query -W -f '${db:Status-Status} ' magnet-dkms magnet-sensor")
                        .stdout())
                .isEqualTo("installed installed ");
        // The service has said why once, and is not started over and over again.
        assertThat(guest.sh("journalctl -q -b -u magnetd -o cat").stdout()).contains("the kernel module is not loaded");
        assertThat(node.property("NRestarts")).isEqualTo("0");
        GuestResult check = guest.sh(Node.LIMIT, "magnet check --passive");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.stdout()).contains("mokutil --import");
    }
}
