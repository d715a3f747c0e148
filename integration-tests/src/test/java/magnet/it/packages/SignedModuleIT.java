// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import magnet.it.guest.FirmwareVariables;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestResult;
import magnet.it.guest.HostShell;
import magnet.it.guest.Tree;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node whose kernel takes only modules that are signed with a key that it trusts, and whose firmware knows the site's
 * certificate: one key serves all nodes.
 */
@Tag("guest")
@Tag("packages")
final class SignedModuleIT {
    private static final String ADVICE = "mokutil --import /usr/share/magnet-module-";
    private static final Path DISK = Tree.build().resolve("guest/signed-module.ext4");
    private static final Path VARIABLES = Tree.build().resolve("guest/signed-module.fd");
    private static final Path CERTIFICATE = Tree.build().resolve("guest/keys/site.der");

    @BeforeEach
    @AfterEach
    void deleteDisk() throws IOException {
        Node.deleteDisk(DISK);
        Files.deleteIfExists(VARIABLES);
    }

    @Test
    void shouldTakeTheModuleOfTheSitesKeyAndNoOther() throws IOException, InterruptedException {
        String firmware = HostShell.run(
                        Tree.root(), Duration.ofMinutes(5), "integration-tests/harness/fetch-firmware 2>/dev/null")
                .orFail()
                .stdout()
                .strip();
        Files.copy(Path.of(firmware, "vars.fd"), VARIABLES, StandardCopyOption.REPLACE_EXISTING);
        FirmwareVariables.trust(VARIABLES, CERTIFICATE);

        boolean done = Node.inGuest(
                GuestOptions.defaults().withDisk(DISK).withFirmware(VARIABLES).withAppend("module.sig_enforce=1"),
                SignedModuleIT::tryModules);

        assertThat(done).isTrue();
    }

    private static boolean tryModules(Guest guest) {
        new Node(guest).awaitBoot();
        assertThat(guest.sh("ls /sys/firmware/efi").orFail().stdout()).contains("systab");
        assertThat(guest.read("/proc/keys")).contains("magnet site test key").doesNotContain("magnet other test key");

        assertThat(install(guest, "unsigned"))
                .contains("magnet-module: the module cannot be loaded:", "Key was rejected by service")
                .contains("this module is not signed, and the kernel takes only modules that are")
                .doesNotContain(ADVICE);
        assertRefused(guest, "Loading of unsigned module is rejected");

        assertThat(install(guest, "other"))
                .contains("magnet-module: the module cannot be loaded:", ADVICE)
                .doesNotContain("is not signed");
        assertRefused(guest, "Loading of module with unavailable key is rejected");

        assertThat(install(guest, "")).doesNotContain("magnet-module:");
        assertThat(guest.sh("modinfo -F signer magnet").orFail().stdout()).isEqualTo("magnet site test key\n");
        guest.sh(Node.LIMIT, "systemctl start magnetd").orFail();
        new Node(guest).awaitInGmond("magnet_sched_run_queue_wait_p99");
        assertThat(guest.sh(Node.LIMIT, "magnet status").orFail().stdout()).contains("loaded, version 0.1.0");
        assertThat(guest.sh("dmesg").stdout()).doesNotContain("module verification failed");

        // A byte of it changed after it was signed.
        guest.sh("systemctl stop magnetd && rmmod magnet && cp $(modinfo -n magnet) /tmp/magnet.ko"
                        + " && LC_ALL=C sed -i 's/High-fidelity event/High-fidelity Event/' /tmp/magnet.ko"
                        + " && ! cmp -s /tmp/magnet.ko $(modinfo -n magnet)")
                .orFail();
        assertThat(guest.sh("insmod /tmp/magnet.ko").stderr()).contains("Key was rejected by service");
        return true;
    }

    /** Returns what it says: the module, and the first time the service, which finds none. */
    private static String install(Guest guest, String kind) {
        GuestResult installed = guest.sh(
                Node.INSTALL_LIMIT,
                "dpkg -i build/deb-module/" + kind + "/magnet-module-*.deb 2>&1"
                        + " && { dpkg -s magnet-sensor >/dev/null 2>&1 || dpkg -i build/deb/magnet-sensor_*.deb 2>&1; }");
        return installed.orFail().stdout();
    }

    private static void assertRefused(Guest guest, String kernel) {
        assertThat(guest.run("modprobe", "magnet").exitCode()).isNotZero();
        assertThat(new ModuleState(guest).isLoaded()).isFalse();
        assertThat(guest.sh("dmesg").stdout()).contains(kernel);
        assertThat(guest.sh("find /var/lib/magnet -type f").stdout())
                .as("a module that was never loaded")
                .isEmpty();
    }
}
