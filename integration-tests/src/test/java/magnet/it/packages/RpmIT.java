// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The RPMs, by rpm itself on a machine that is not of their family: what they depend on is there under other names, so
 * rpm is told not to ask. First into a root folder beside the machine's own, where all that they bring can be told from what
 * was there, then on the machine itself, where the service runs.
 */
@GuestTest(machine = true)
@Tag("packages")
@TestMethodOrder(OrderAnnotation.class)
final class RpmIT extends PackageFixture {
    private static final String PACKAGES = "magnet-ganglia-web magnet-cluster magnet-sensor magnet-dkms";
    private static final String METRIC = "magnet_sched_run_queue_wait_p99";

    /** Has the machine's own root, and takes what is written to it. */
    private static final String ROOT = "/mnt/root";

    private static final String NEW = "/mnt/new";
    /** As a builder of images has it: the kernel's folders, and no systemd that runs. This tree has DKMS's ccache. */
    private static final String MAKE_ROOT = """
            set -e
            mount -t tmpfs -o mode=755 rpm /mnt
            mkdir /mnt/new /mnt/work /mnt/root
            mount -t overlay -o lowerdir=/,upperdir=/mnt/new,workdir=/mnt/work root /mnt/root
            for folder in /proc /sys /dev "$MAGNET_ROOT"; do mount --bind "$folder" "/mnt/root$folder"; done
            """;
    /** What the scriptlets and rpm itself (Debian's, which has its database there) make, beside the packages' own files. */
    private static final String OF_SCRIPTLETS = """
            /etc/(\\.pwd\\.lock|(passwd|group|shadow|gshadow)-?)
            |/etc/systemd/system/(sysinit|multi-user)\\.target\\.wants/magnet(d|-guard|-module)\\.service
            |/usr/lib/modules/[^/]+/(updates/dkms/magnet(_gtrace)?\\.ko|modules\\.[^/]+)
            |/var/lib/dkms/.*
            |/root/\\.rpmdb/.*
            |/var/(log|cache|tmp)/.*
            |/var/lib/ganglia/conf/(default_host|view_magnet_cluster)\\.json
            |/tmp/.*
            """.replace("\n", "");

    RpmIT(Guest guest) {
        super(guest);
    }

    @BeforeAll
    static void prepare(Guest guest) {
        // What the front end's package brings there, and the family's own package of folders.
        guest.sh("mkdir -p /usr/share/ganglia/graph.d /usr/share/ganglia/lib/Cache /var/lib/ganglia/conf"
                        + " /usr/share/licenses")
                .orFail();
    }

    @Test
    @Order(1)
    void shouldInstallIntoARootAllThatAMachineNeedsAndNothingElse() {
        guest.sh(MAKE_ROOT).orFail();

        assertThat(node.rpm("--root " + ROOT + " -i build/rpm/magnet-*.rpm")
                        .orFail()
                        .stdout())
                .doesNotContainIgnoringCase("fail", "warning", "error:", "magnet-sensor:", "magnet-dkms:");

        // Contents, modes and owners are as the packages say, and they say nothing strange.
        assertThat(node.rpm("--root " + ROOT + " -V " + PACKAGES).stdout()).isEmpty();
        Map<String, String> files = filesOfPackages();
        assertThat(files.entrySet())
                .allSatisfy(file -> assertThat(file.getValue())
                        .as(file.getKey())
                        .isEqualTo(typeAndMode(file.getKey(), file.getValue()) + " root:root"));
        assertThat(files)
                .containsKeys(
                        "/usr/src/magnet-0.1.0/dkms.conf",
                        "/usr/lib/systemd/system/magnetd.service",
                        "/usr/lib/systemd/system/magnet-guard.service",
                        "/usr/lib/systemd/system/magnet-module.service",
                        "/usr/lib/magnet/module-guard",
                        "/usr/lib/udev/rules.d/60-magnet.rules",
                        "/usr/lib/modprobe.d/magnet.conf",
                        "/etc/magnet/magnet.conf",
                        "/etc/ganglia/conf.d/magnet.conf",
                        "/usr/share/man/man8/magnetd.8.gz",
                        "/usr/lib/systemd/system/magnet-node.service",
                        "/usr/share/man/man1/magnet-cluster-start.1.gz",
                        "/usr/share/ganglia/graph.d/magnet_scheduler_report.json");
        Set<String> others = written();
        others.removeAll(files.keySet());
        assertThat(others).allSatisfy(file -> assertThat(file).matches(OF_SCRIPTLETS));

        checkUnit();
        checkModule();

        node.rpm("--root " + ROOT + " -e " + PACKAGES).orFail();

        assertThat(written())
                .allSatisfy(file -> assertThat(file)
                        .matches(OF_SCRIPTLETS)
                        .doesNotMatch("/var/lib/dkms/magnet.*|.*/magnet\\.ko|.*magnetd.*|.*\\.json"));
        guest.sh("umount -R /mnt/root /mnt").orFail();
    }

    /** Type, mode and owner of each file of the packages, as stat tells them. */
    private Map<String, String> filesOfPackages() {
        return guest.sh("rpm --root " + ROOT + " -ql " + PACKAGES + " | sort -u | sed 's,^," + ROOT
                        + ",' | xargs -d '\n' stat -c '%n %F %a %U:%G'")
                .orFail()
                .stdout()
                .lines()
                .map(line -> line.substring(ROOT.length()).split(" ", 2))
                .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }

    /** What a file of this type and name is to be like. */
    private static String typeAndMode(String name, String found) {
        if (found.startsWith("directory")) {
            return "directory 755";
        }
        if (found.startsWith("symbolic link")) {
            return "symbolic link 777";
        }
        if (name.endsWith("/magnet.jsa")) {
            return "regular file 444";
        }
        boolean executable =
                name.matches("/usr/share/magnet/bin/[a-z-]+|/usr/lib/magnet/module-guard|.*/libjnidispatch\\.so");
        return "regular file " + (executable ? "755" : "644");
    }

    /** All that is not as it was in the machine's root; a file that was removed there is a device. */
    private Set<String> written() {
        return guest.sh("cd " + NEW + " && find . ! -type d | cut -c 2-")
                .orFail()
                .stdout()
                .lines()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void checkUnit() {
        assertThat(guest.sh(
                                "systemd-analyze verify --root=" + ROOT
                                        + " magnetd.service magnet-guard.service magnet-module.service magnet-node.service 2>&1")
                        .orFail()
                        .stdout())
                .doesNotContain("magnet");
        guest.sh("systemd-analyze security --offline=true --no-pager --threshold=20 --root=" + ROOT
                        + " magnetd.service")
                .orFail();
        assertThat(guest.sh(
                                "systemctl --root=" + ROOT
                                        + " is-enabled magnetd.service magnet-guard.service magnet-module.service magnet-node.service")
                        .stdout())
                .isEqualTo("enabled\nenabled\nenabled\ndisabled\n");
        assertThat(guest.sh("chroot " + ROOT + " id -nG magnet").orFail().stdout())
                .isEqualTo("magnet\n");
    }

    /** DKMS has built it there for the running kernel, which takes it. */
    private void checkModule() {
        assertThat(guest.sh("chroot " + ROOT + " dkms status magnet").orFail().stdout())
                .contains("0.1.0, ", ": installed");
        assertThat(guest.sh("modinfo -b " + ROOT + " -F vermagic magnet | cut -d ' ' -f 1; uname -r")
                        .orFail()
                        .stdout()
                        .lines()
                        .distinct())
                .hasSize(1);
        guest.sh("insmod $(modinfo -b " + ROOT + " -n magnet)").orFail();
        assertThat(guest.read("/sys/module/magnet/version")).isEqualTo("0.1.0\n");
        guest.sh("rmmod magnet").orFail();
    }

    @Test
    @Order(2)
    void shouldInstallRunAndLeaveNothing() {
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
        replaceReports();

        node.rpm("-e " + PACKAGES).orFail();

        assertThat(module.isLoaded()).isFalse();
        Set<String> left = new TreeSet<>(node.files());
        left.removeAll(before);
        left.removeIf(path -> path.startsWith("/var/lib/rpm/"));
        assertThat(left).isEmpty();
    }

    /** An upgrade brings its own view where the old package's is as it was, and what somebody has removed stays away. */
    private void replaceReports() {
        String old = "{ \"old\": true }";
        guest.sh("cd /usr/share/magnet-ganglia-web/conf && cp view_magnet_cluster.json /tmp"
                        + " && echo '" + old
                        + "' | tee view_magnet_cluster.json >/var/lib/ganglia/conf/view_magnet_cluster.json"
                        + " && rm /var/lib/ganglia/conf/default_host.json")
                .orFail();

        node.rpm("-U --force build/rpm/magnet-ganglia-web-*.rpm").orFail();

        assertThat(guest.sh("cd /var/lib/ganglia/conf && ls && cmp view_magnet_cluster.json"
                                + " /tmp/view_magnet_cluster.json")
                        .orFail()
                        .stdout())
                .isEqualTo("view_magnet_cluster.json\n");
        guest.sh("rm /tmp/view_magnet_cluster.json").orFail();
    }
}
