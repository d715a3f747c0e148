// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The RPMs, by rpm itself on a machine that is not of their family: what they depend on is there under other names, so
 * rpm is told not to ask.
 */
@GuestTest(machine = true)
@Tag("packages")
final class RpmIT {
    private static final String PACKAGES = "magnet-ganglia-web magnet-sensor magnet-dkms";
    private static final String METRIC = "magnet_sched_run_queue_wait_p99";

    private final Guest guest;
    private final Node node;
    private final ModuleState module;

    RpmIT(Guest guest) {
        this.guest = guest;
        node = new Node(guest);
        module = new ModuleState(guest);
    }

    @Test
    void shouldInstallRunAndLeaveNothing() {
        node.awaitBoot();
        // What the front end's package brings there, and the family's own package of folders.
        guest.sh("mkdir -p /usr/share/ganglia/graph.d /usr/share/ganglia/lib/Cache /var/lib/ganglia/conf"
                        + " /usr/share/licenses")
                .orFail();
        Set<String> before = node.files();

        node.rpm("-i build/rpm/magnet-*.rpm").orFail();

        node.awaitInGmond(METRIC);
        assertThat(node.property("User")).isEqualTo("magnet");
        assertThat(node.property("UnitFileState")).isEqualTo("enabled");
        assertThat(guest.sh("dkms status magnet").orFail().stdout()).contains(": installed");
        // Contents, modes and owners are as the packages say; the class archive is nobody's but the machine's.
        assertThat(node.rpm("-V " + PACKAGES).stdout()).isEmpty();
        assertThat(guest.sh("rpm -ql " + PACKAGES + " | sort -u | xargs -d '\\n' stat -c '%U:%G %n'"
                                + " | grep -v '^root:root '")
                        .stdout())
                .isEmpty();

        assertThat(guest.sh("cd /usr/share/ganglia/graph.d && diff -r . $MAGNET_ROOT/gmond-conf/ganglia-web/graph.d")
                        .orFail()
                        .stdout())
                .isEmpty();
        assertThat(guest.read("/var/lib/ganglia/conf/view_magnet_cluster.json")).contains("magnet cluster");
        assertThat(guest.sh("magnet --version").orFail().stdout()).isEqualTo("magnet 0.1.0\n");

        node.rpm("-e " + PACKAGES).orFail();

        assertThat(module.isLoaded()).isFalse();
        Set<String> left = new TreeSet<>(node.files());
        left.removeAll(before);
        left.removeIf(path -> path.startsWith("/var/lib/rpm/"));
        assertThat(left).isEmpty();
    }
}
