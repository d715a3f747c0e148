// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that gets another build of Debian's kernel, and is booted with it: it goes on publishing, by itself. */
@Tag("guest")
@Tag("packages")
final class KernelUpdateIT {
    private static final String OTHER_KERNEL = "./build/guest/other-kernel/*.deb";
    private static final String METRIC = "magnet_sched_run_queue_wait_p99";
    private static final String RRD = "/var/lib/ganglia/rrds/unspecified/node1/" + METRIC + ".rrd";

    /**
     * As the disk's own kernel was installed and thinned out: without network there is nothing of what it recommends, and
     * depmod and update-initramfs read every driver, which takes an emulated machine minutes.
     */
    private static final String PREPARE = """
            echo 'APT::Install-Recommends "false";' >/etc/apt/apt.conf.d/no-network
            cat >/etc/dpkg/dpkg.cfg.d/few-drivers <<'END'
            path-exclude=/lib/modules/*/kernel/sound/*
            path-exclude=/lib/modules/*/kernel/drivers/*
            path-include=/lib/modules/*/kernel/drivers/block/*
            path-include=/lib/modules/*/kernel/drivers/char/*
            path-include=/lib/modules/*/kernel/drivers/virtio/*
            path-include=/lib/modules/*/kernel/drivers/net/dummy.ko
            END
            """;

    private static final Path DISK = Tree.build().resolve("guest/kernel-update.ext4");

    @BeforeEach
    @AfterEach
    void deleteDisk() throws IOException {
        Node.deleteDisk(DISK);
    }

    @Test
    void shouldPublishByItselfAfterABootIntoAnotherKernel() throws IOException, InterruptedException {
        GuestOptions machine = GuestOptions.defaults().withDisk(DISK);

        String before = Node.inGuest(machine, KernelUpdateIT::updateKernel);
        String after = Node.inGuest(machine.withKernel(machine.kernel() + "-other"), KernelUpdateIT::assertPublishes);

        assertThat(after).isNotEqualTo(before);
    }

    /** Returns the release of the kernel that it runs until then. */
    private static String updateKernel(Guest guest) {
        Node node = new Node(guest);
        node.awaitBoot();
        node.install("build/deb");
        node.awaitInGmond(METRIC);
        node.awaitGrowth(RRD);
        guest.sh(PREPARE).orFail();

        node.installFiles(OTHER_KERNEL);

        assertThat(guest.sh("dkms status magnet").orFail().stdout().lines())
                .hasSize(2)
                .allMatch(line -> line.endsWith(": installed"));
        assertThat(node.starts()).isEqualTo(1);
        return release(guest);
    }

    /** Returns the release of the kernel that it runs. */
    private static String assertPublishes(Guest guest) {
        Node node = new Node(guest);
        node.awaitBoot();
        node.awaitInGmond(METRIC);
        node.awaitGrowth(RRD);
        assertThat(node.starts()).isEqualTo(1);
        assertThat(node.property("NRestarts")).isEqualTo("0");
        assertThat(guest.sh("modinfo -n magnet").orFail().stdout())
                .isEqualTo("/lib/modules/" + release(guest) + "/updates/dkms/magnet.ko\n");
        assertThat(guest.sh(Node.LIMIT, "magnet check --passive").stdout()).containsPattern("(?m)^ok +module +loaded");
        return release(guest);
    }

    private static String release(Guest guest) {
        return guest.run("uname", "-r").orFail().stdout().strip();
    }
}
