// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestResult;
import magnet.it.guest.KernelComplaints;

/** A Debian 12 machine in a guest, and what an admin does there. */
final class Node {
    /** For an installation, with the module built for one kernel or two. */
    static final Duration INSTALL_LIMIT = Duration.ofMinutes(20);

    /** Until the service has started, and for whatever else takes an emulated machine some time. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    /** DKMS gets from harness/compile-ahead what the compiler would make. */
    private static final String COMPILED = "export DEBIAN_KERNEL_USE_CCACHE=yes CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp"
            + " CCACHE_DIR=$MAGNET_ROOT/build/guest/ccache; ";

    private static final String APT =
            COMPILED + "DEBIAN_FRONTEND=noninteractive apt-get -q -y" + " -o Dpkg::Options::=--force-confold ";

    private static final String GMOND = "cat </dev/tcp/127.0.0.1/8649";
    private static final String GMETAD = "cat </dev/tcp/127.0.0.1/8651";
    /** What is not of the machine's disk, what others note of packages, and what DKMS keeps for itself. */
    private static final String FILES = "find / -xdev -path \"$MAGNET_ROOT\" -prune -o -print"
            + " | grep -vE '^/(var/(log|cache|tmp|lib/(apt|dpkg|ganglia|systemd|dkms/mok))|tmp|root)(/|\\.|$)'";

    private final Guest guest;

    Node(Guest guest) {
        this.guest = guest;
    }

    /** Until everything has started; fails if something could not. */
    void awaitBoot() {
        guest.sh(LIMIT, "systemctl is-system-running --wait || { systemctl --failed; exit 1; }")
                .orFail();
    }

    /** Installs our two packages of a node out of a folder of this tree, as an admin would who has copied them there. */
    GuestResult install(String folder) {
        return installFiles("./" + folder + "/magnet-dkms_*.deb ./" + folder + "/magnet-sensor_*.deb");
    }

    /** Installs package files of this tree. */
    GuestResult installFiles(String files) {
        return guest.sh(INSTALL_LIMIT, APT + "install " + files + " 2>&1").orFail();
    }

    /** Gives rpm a command; it does not know what the machine has, and is told not to ask. */
    GuestResult rpm(String command) {
        return guest.sh(INSTALL_LIMIT, COMPILED + "rpm --nodeps " + command + " 2>&1");
    }

    /** Asks rpm about packages; gives what it prints. */
    String queryRpm(String question) {
        return guest.sh("rpm -q " + question).orFail().stdout();
    }

    /** Purges all of our packages. */
    GuestResult purge() {
        return guest.sh(INSTALL_LIMIT, APT + "purge 'magnet-*' 2>&1").orFail();
    }

    /** What gmond tells now. */
    GmondXml gmond() {
        return GmondXml.parse(guest.sh(GMOND).orFail().stdout());
    }

    /** Until gmond has a metric. */
    void awaitInGmond(String metric) {
        await("(" + GMOND + ") 2>/dev/null | grep -q 'NAME=\"" + metric + "\"'");
    }

    /** Until gmetad has one. */
    void awaitInGmetad(String metric) {
        await("(" + GMETAD + ") 2>/dev/null | grep -q 'NAME=\"" + metric + "\"'");
    }

    /** Until gmetad has made an RRD file, and has written to it twice more. */
    void awaitGrowth(String rrd) {
        for (int times = 0; times < 2; times++) {
            await("[[ -s " + rrd + " ]]");
            String before = guest.sh("cksum " + rrd).orFail().stdout().strip();
            await("[[ $(cksum " + rrd + ") != '" + before + "' ]]");
        }
    }

    /** Until a condition in bash holds. */
    void await(String condition) {
        guest.sh(LIMIT, "until " + condition + "; do sleep 0.5; done").orFail();
    }

    /** A property of the service, as systemd knows it. */
    String property(String name) {
        return guest.run("systemctl", "show", "--value", "-p", name, "magnetd")
                .orFail()
                .stdout()
                .strip();
    }

    /** How often systemd has started the service since the machine booted. */
    long starts() {
        return guest.sh("journalctl -q -b -u magnetd -o cat | grep -c '^Started magnetd'")
                .stdout()
                .lines()
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** The paths of all files and folders on its disk, but those whose comings and goings are others' business. */
    Set<String> files() {
        return guest.sh(LIMIT, FILES).orFail().stdout().lines().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Until everything has started, whether or not something could not. */
    void awaitBootOfAnyKind() {
        guest.sh(LIMIT, "systemctl is-system-running --wait || true").orFail();
    }

    /** Deletes a disk, with what the kernels that ran from it said last. */
    static void deleteDisk(Path disk) throws IOException {
        Files.deleteIfExists(disk);
        Files.deleteIfExists(disk.resolveSibling(disk.getFileName() + ".pstore"));
    }

    /** Boots a guest, powers it off at the end, and keeps its logs if something went wrong. */
    static <T> T inGuest(GuestOptions options, Function<Guest, T> what) throws IOException, InterruptedException {
        try (Guest guest = Guest.boot(options)) {
            boolean good = false;
            try {
                T answer = what.apply(guest);
                if (guest.isAlive()) {
                    guest.powerOff(LIMIT);
                    KernelComplaints.failIfAny(guest);
                }
                good = true;
                return answer;
            } finally {
                if (!good) {
                    guest.keep();
                }
            }
        }
    }
}
