// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A node that gets the module from a package for its kernel, in place of source and compiler. */
@GuestTest(machine = true)
@Tag("packages")
@TestMethodOrder(OrderAnnotation.class)
final class ModulePackageIT extends PackageFixture {
    private static final String METRIC = "magnet_sched_run_queue_wait_p99";
    private static final String FILE = "/lib/modules/$(uname -r)/updates/magnet/magnet.ko";

    ModulePackageIT(Guest guest) {
        super(guest);
    }

    @Test
    @Order(1)
    void shouldPublishWithoutCompiler() {
        // What a node without a compiler lacks.
        guest.sh("chmod a-x /usr/sbin/dkms $(readlink -f /usr/bin/gcc-12)").orFail();

        GuestResult installed =
                node.installFiles("./build/deb-module/magnet-module-*.deb ./build/deb/magnet-sensor_*.deb");

        assertThat(installed.stdout()).doesNotContain("WARNING", "ERROR", "magnet-module:", "magnet-sensor:");
        node.awaitInGmond(METRIC);
        assertThat(guest.sh("modinfo -n magnet; echo " + FILE)
                        .orFail()
                        .stdout()
                        .lines()
                        .distinct())
                .hasSize(1);
        assertThat(guest.sh("modinfo -F signer magnet; modinfo -F sig_hashalgo magnet")
                        .orFail()
                        .stdout())
                .isEqualTo("magnet site test key\nsha256\n");
        assertThat(guest.read("/sys/module/magnet/version")).isEqualTo("0.1.0\n");
        assertThat(guest.sh(Node.LIMIT, "magnet status").orFail().stdout()).contains("loaded, version 0.1.0");
        assertThat(guest.sh("dpkg -V magnet-sensor 'magnet-module-*'").stdout()).isEmpty();
        guest.sh("chmod a+x /usr/sbin/dkms $(readlink -f /usr/bin/gcc-12)").orFail();
    }

    /** Two modules for one kernel would be in conflict. */
    @Test
    @Order(2)
    void shouldGiveWayToTheSourceAndTakeItsPlace() {
        String simulated = "apt-get -s --no-install-recommends install ./build/deb/magnet-dkms_*.deb";

        assertThat(guest.sh(Node.LIMIT, simulated).orFail().stdout())
                .containsPattern("(?m)^Remv magnet-module-")
                .containsPattern("(?m)^Inst magnet-dkms ")
                .doesNotContainPattern("(?m)^Remv magnet-sensor");
        assertThat(guest.sh("dpkg-deb -f build/deb-module/magnet-module-*.deb Depends Conflicts Provides")
                        .orFail()
                        .stdout())
                .contains("linux-image-" + release() + " | linux-image-" + release() + "-unsigned")
                .contains("Conflicts: magnet-dkms\n")
                .contains("Provides: magnet-module (= 0.1.0)\n");
    }

    private String release() {
        return guest.run("uname", "-r").orFail().stdout().strip();
    }

    @Test
    @Order(3)
    void shouldLeaveNothingWhenPurged() {
        node.purge();

        assertThat(module.isLoaded()).isFalse();
        assertThat(filesSinceBoot()).isEmpty();
    }

    @Test
    @Order(4)
    void shouldInstallAndRunFromRpm() {
        node.rpm("-i build/rpm-module/magnet-module-*.rpm build/rpm/magnet-sensor-*.rpm")
                .orFail();

        node.awaitInGmond(METRIC);
        assertThat(guest.sh("modinfo -F signer magnet").orFail().stdout()).isEqualTo("magnet site test key\n");
        assertThat(node.queryRpm("--provides magnet-module-" + release())).contains("magnet-module = 0.1.0-1");
        assertThat(node.queryRpm("--conflicts magnet-module-" + release())).contains("magnet-dkms");
        assertThat(node.rpm("-V magnet-module-" + release()).stdout()).isEmpty();

        node.rpm("-e magnet-sensor magnet-module-" + release()).orFail();

        assertThat(module.isLoaded()).isFalse();
        assertThat(guest.sh("test -e " + FILE).exitCode()).isNotZero();
    }
}
