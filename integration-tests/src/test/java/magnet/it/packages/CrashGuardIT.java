// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestResult;
import magnet.it.guest.Tree;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that goes down while the module is loaded: at its next boot the module is held back, until somebody says so. */
@Tag("guest")
@Tag("packages")
final class CrashGuardIT {
    private static final String METRIC = "magnet_sched_run_queue_wait_p99";
    private static final String HELD_BACK = "/var/lib/magnet/held-back";
    private static final Path DISK = Tree.build().resolve("guest/crash-guard.ext4");

    @BeforeEach
    @AfterEach
    void deleteDisk() throws IOException {
        Node.deleteDisk(DISK);
    }

    @Test
    void shouldHoldTheModuleBackAfterAPanicAndAPowerCutUntilSomebodySaysSo() throws IOException, InterruptedException {
        GuestOptions machine = GuestOptions.defaults().withDisk(DISK);

        Node.inGuest(machine, CrashGuardIT::installAndPanic);
        // As a power cut ends it: nothing is written any more.
        try (Guest guest = Guest.boot(machine)) {
            check(guest, CrashGuardIT::findPanicAndAllow);
        }
        Node.inGuest(machine, CrashGuardIT::findPowerCutAndAllow);
        Node.inGuest(machine, CrashGuardIT::loadAgain);
        Node.inGuest(machine.withAppend("modprobe.blacklist=magnet"), CrashGuardIT::keepOffByCommandLine);
    }

    private static void check(Guest guest, Consumer<Guest> what) {
        boolean good = false;
        try {
            what.accept(guest);
            good = true;
        } finally {
            if (!good) {
                guest.keep();
            }
        }
    }

    private static boolean installAndPanic(Guest guest) {
        Node node = new Node(guest);
        node.awaitBoot();
        node.install("build/deb");
        node.awaitInGmond(METRIC);
        assertThat(guest.sh("sed -n 's/^boot //p' /var/lib/magnet/loaded").stdout())
                .isEqualTo(guest.read("/proc/sys/kernel/random/boot_id"));
        // An orderly removal is told to udev: what happens to the machine then is not the module's doing.
        guest.sh("systemctl stop magnetd && rmmod magnet").orFail();
        node.await("[[ ! -e /var/lib/magnet/loaded ]]");
        guest.sh("systemctl start magnetd").orFail();
        assertThat(guest.sh("test -e /var/lib/magnet/loaded").exitCode()).isZero();
        guest.panic(Node.LIMIT);
        assertThat(guest.consoleText()).contains("Kernel panic - not syncing: sysrq triggered crash");
        return true;
    }

    private static void findPanicAndAllow(Guest guest) {
        String reason = "ended in a panic whose trace does not name magnet, see /var/lib/systemd/pstore/";
        assertHeldBack(guest, reason);
        assertThat(guest.sh("grep -l 'sysrq triggered crash' $(sed -n 's/^reason .*, see //p' " + HELD_BACK + ")")
                        .orFail()
                        .stdout())
                .startsWith("/var/lib/systemd/pstore/");
        allow(guest, reason);
        guest.sh("sync").orFail();
    }

    private static boolean findPowerCutAndAllow(Guest guest) {
        String reason = "ended without a shutdown and left no trace of a panic (a power cut, a reset, a hang)";
        assertHeldBack(guest, reason);
        allow(guest, reason);
        return true;
    }

    private static void assertHeldBack(Guest guest, String reason) {
        Node node = new Node(guest);
        node.awaitBootOfAnyKind();
        assertThat(new ModuleState(guest).isLoaded()).isFalse();
        assertThat(guest.sh("journalctl -q -b -u magnet-guard -o cat").stdout())
                .contains("magnet: the module is held back: the last boot with it " + reason)
                .contains("magnet load --anyway");
        assertThat(guest.sh("journalctl -q -b -u magnetd -o cat").stdout()).contains("but held back", reason);
        assertThat(node.property("NRestarts")).isEqualTo("0");
        GuestResult check = guest.sh(Node.LIMIT, "magnet check --passive");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.stdout())
                .containsPattern("(?m)^failed +module +not loaded, but held back: the last boot with it "
                        + Pattern.quote(reason))
                .contains("remedy: find out why; then magnet load --anyway && systemctl start magnetd");
        for (String command : List.of("magnet status", "magnet load", "modprobe magnet")) {
            GuestResult refused = guest.sh(Node.LIMIT, command);
            assertThat(refused.exitCode()).as(command).isNotZero();
            assertThat(refused.stderr()).as(command).contains("held back", reason, "magnet load --anyway");
        }
        assertThat(guest.sh(Node.LIMIT, "systemctl start magnetd").exitCode()).isNotZero();
        assertThat(new ModuleState(guest).isLoaded()).isFalse();
    }

    /** The unit's description, which systemd writes there as well, begins with the same word. */
    private static void assertNotHeldBack(Guest guest) {
        assertThat(guest.sh("journalctl -q -b -u magnet-guard -o cat").stdout()).doesNotContain("magnet: the module");
    }

    private static void allow(Guest guest, String reason) {
        Node node = new Node(guest);
        assertThat(guest.sh(Node.LIMIT, "magnet load --anyway && systemctl start magnetd")
                        .orFail()
                        .stderr())
                .contains("magnet: the module was held back", reason);
        node.awaitInGmond(METRIC);
        assertThat(guest.sh("find /var/lib/magnet -type f").stdout()).isEqualTo("/var/lib/magnet/loaded\n");
    }

    /** The boot before came to a clean end. */
    private static boolean loadAgain(Guest guest) {
        Node node = new Node(guest);
        node.awaitBoot();
        node.awaitInGmond(METRIC);
        assertNotHeldBack(guest);
        return true;
    }

    private static boolean keepOffByCommandLine(Guest guest) {
        Node node = new Node(guest);
        node.awaitBootOfAnyKind();
        assertThat(new ModuleState(guest).isLoaded()).isFalse();
        assertThat(guest.sh("journalctl -q -b -u magnetd -o cat").stdout())
                .contains("the kernel module is not loaded; load it with magnet load or modprobe magnet");
        assertNotHeldBack(guest);
        guest.sh(Node.LIMIT, "magnet load && systemctl start magnetd").orFail();
        node.awaitInGmond(METRIC);
        return true;
    }
}
