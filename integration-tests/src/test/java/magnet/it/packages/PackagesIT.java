// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The life of the packages on a node where gmond and gmetad run as Debian set them up. One step after the other: each
 * begins where the one before it ended, since the module is compiled at each installation.
 */
@GuestTest(machine = true)
@Tag("packages")
@TestMethodOrder(OrderAnnotation.class)
final class PackagesIT extends PackageFixture {
    private static final String BUILT = "build/deb";
    private static final String NEXT = "build/deb/0.1.0+next";
    private static final String OTHER_HEADERS = "./build/guest/other-kernel/linux-headers-*.deb";
    /** A module that nobody uses. */
    private static final String SAMPLE = "build/kmod/6.1/samples/magnet_sample/magnet_sample.ko";

    private static final String METRIC = "magnet_sched_run_queue_wait_p99";
    /** Fewer than the default level publishes. */
    private static final int METRICS = 50;
    /**
     * For how much longer than the service's restart an upgrade may keep gmond without a metric: an interval of publishing before
     * it and one after it, and what is cut off of two times in seconds.
     */
    private static final double BESIDE_RESTART_SECONDS = 12;
    /** What the packages make on the node, the module and the class archive. */
    private static final String MADE =
            "/lib/modules/$(uname -r)/updates/dkms/magnet.ko /lib/modules/$(uname -r)/updates/dkms/magnet_gtrace.ko"
                    + " /usr/lib/magnet/native/magnet.jsa";

    /** The gaps, and what the service said at which time. */
    private static final Path UPGRADE = Tree.build().resolve("log/upgrade.txt");

    private static final String DROP_IN = "/etc/ganglia/conf.d/magnet.conf";
    private static final String CONFIG = "/etc/magnet/magnet.conf";
    /** CapBnd and CapEff of a process that has CAP_PERFMON and no other. */
    private static final String ONLY_PERFMON = "0000004000000000";
    /** The same of one that has CAP_NET_RAW, too. */
    private static final String PERFMON_AND_NET_RAW = "0000004000002000";

    PackagesIT(Guest guest) {
        super(guest);
    }

    @BeforeAll
    static void awaitGmond(Guest guest) {
        Node node = new Node(guest);
        node.awaitInGmond("load_one");
        assertThat(node.gmond().startingWith("magnet")).isEmpty();
    }

    @Test
    @Order(1)
    void shouldPublishAfterInstallationWithoutAnotherStep() {
        GuestResult installed = node.install(BUILT);

        assertThat(installed.stdout()).doesNotContain("WARNING", "ERROR", "magnet-dkms:", "magnet-sensor:");
        node.awaitInGmond(METRIC);
        assertThat(node.gmond().metric(METRIC)).get().satisfies(metric -> {
            assertThat(metric.host()).isEqualTo("node1");
            assertThat(metric.groups()).anyMatch(group -> group.startsWith("magnet"));
        });
        node.awaitInGmetad(METRIC);
        node.awaitGrowth("/var/lib/ganglia/rrds/unspecified/node1/" + METRIC + ".rrd");
        assertThat(node.starts()).isEqualTo(1);
        assertThat(node.property("NRestarts")).isEqualTo("0");
    }

    @Test
    @Order(2)
    void shouldHaveModuleFromDkmsAndGroupOnItsNodes() {
        assertThat(guest.sh("dkms status magnet -k $(uname -r)").orFail().stdout())
                .contains("installed");
        assertThat(guest.sh("modinfo -n magnet").orFail().stdout()).contains("/updates/dkms/");
        assertThat(guest.sh("find /dev/magnet -type c ! -group magnet").orFail().stdout())
                .isEmpty();
        assertThat(guest.sh("find /dev/magnet -type c -name 'cpu*' -printf '%m %u\\n' | sort -u")
                        .orFail()
                        .stdout())
                .isEqualTo("440 root\n");
        assertThat(guest.sh("stat -c '%a %U' /dev/magnet/marker").orFail().stdout())
                .isEqualTo("220 root\n");
    }

    @Test
    @Order(2)
    void shouldShowTheHierarchyOfProcessesWhileTheSecondModuleIsLoaded() {
        List<String> listed =
                guest.sh(Node.LIMIT, """
                        modprobe magnet_gtrace || exit 1
                        until mountpoint -q /proc/gtrace; do sleep 0.2; done
                        sh -c 'echo "new site sh" >/dev/gtrace; ls /proc/gtrace; ls /proc/gtrace/site; echo $$'
                        umount /proc/gtrace && rmmod magnet_gtrace
                        """).orFail().stdout().lines().toList();

        assertThat(listed).hasSize(4).startsWith("site");
        assertThat(listed.subList(1, 3)).containsExactlyInAnyOrder(listed.get(3), "state");
    }

    @Test
    @Order(3)
    void shouldRunWithoutRights() {
        String pid = node.property("MainPID");

        assertThat(guest.sh("systemd-analyze security --no-pager --threshold=20 magnetd")
                        .orFail()
                        .stdout())
                .contains("Overall exposure level");
        assertThat(guest.sh("stat -c %U /proc/" + pid + "; grep -E '^Cap(Eff|Bnd)' /proc/" + pid + "/status")
                        .orFail()
                        .stdout())
                .isEqualTo("magnet\nCapEff:\t" + ONLY_PERFMON + "\nCapBnd:\t" + ONLY_PERFMON + "\n");
        // JNA's library is mapped from where it was installed: nothing was unpacked.
        assertThat(guest.sh("grep -o '/.*jnidispatch.*' /proc/" + pid + "/maps | sort -u")
                        .orFail()
                        .stdout())
                .isEqualTo("/usr/lib/magnet/native/x86-64/libjnidispatch.so\n");
        assertThat(guest.sh("grep -c magnet.jsa /proc/" + pid + "/maps")
                        .orFail()
                        .stdout())
                .isNotEqualTo("0\n");
        // What systemd lets through of the list of all calls.
        assertThat(node.property("SystemCallFilter").split(" ", -1))
                .contains("recvmsg", "poll")
                .doesNotContain(
                        "bpf", "perf_event_open", "ptrace", "init_module", "finit_module", "delete_module", "mount");
    }

    @Test
    @Order(4)
    void shouldKeepServiceUserFromEverythingElse() {
        guest.sh("install -m 600 -o games -g games /etc/hostname /var/games.txt")
                .orFail();
        for (String forbidden : List.of(
                "touch /etc/ganglia/conf.d/x.conf",
                "touch /usr/share/magnet/lib/x.jar",
                "touch /var/lib/magnet/held-back",
                "cat /etc/shadow",
                "ls /root",
                "cat /var/games.txt")) {
            assertThat(asService(forbidden).exitCode()).as(forbidden).isNotZero();
        }
        guest.run("rm", "/var/games.txt").orFail();
        // Root may load it and remove it; the service's user neither.
        assertThat(asService("/sbin/insmod " + SAMPLE).stderr()).contains("Operation not permitted");
        guest.sh("insmod " + SAMPLE).orFail();
        assertThat(asService("/sbin/rmmod magnet_sample").stderr()).contains("Operation not permitted");
        guest.sh("rmmod magnet_sample").orFail();
        assertThat(guest.sh("dpkg -L magnet-dkms magnet-sensor | sort -u | xargs -d '\\n' stat -c '%U:%G %n'"
                                + " | grep -v '^root:root '")
                        .stdout())
                .isEmpty();
        assertThat(guest.sh("for deb in " + BUILT + "/*.deb; do dpkg-deb -c $deb; done | awk '$2 != \"root/root\"'")
                        .orFail()
                        .stdout())
                .isEmpty();
    }

    /** Runs a command as the service's user, with the service's one capability. */
    private GuestResult asService(String command) {
        return guest.sh("setpriv --reuid=magnet --regid=magnet --init-groups --inh-caps=-all,+perfmon"
                + " --ambient-caps=+perfmon --bounding-set=-all,+perfmon bash -c '" + command + "'");
    }

    @Test
    @Order(5)
    void shouldHaveManualPagesAndCompletion() {
        for (String page : List.of("magnet", "magnet-read", "magnet-check", "magnetd", "magnet.conf")) {
            assertThat(guest.sh("man -w " + page).orFail().stdout()).contains("/usr/share/man/");
        }
        assertThat(guest.sh(". /usr/share/bash-completion/completions/magnet;"
                                + " COMP_WORDS=(magnet un) COMP_CWORD=1; _complete_magnet; echo \"${COMPREPLY[*]}\"")
                        .orFail()
                        .stdout())
                .contains("unload");
        assertThat(guest.sh("magnet read --help").orFail().stdout().replaceAll("\\s+", " "))
                .contains("Read on: man magnet-read, /usr/share/doc/magnet-sensor/docs/traces.md");
        guest.sh("test -r /usr/share/doc/magnet-sensor/docs/traces.md").orFail();
    }

    @Test
    @Order(6)
    void shouldSayTheVersionOfThePackage() {
        assertThat(guest.sh("magnet --version; magnetd --version; cat /sys/module/magnet/version")
                        .orFail()
                        .stdout())
                .isEqualTo("magnet 0.1.0\nmagnetd 0.1.0\n0.1.0\n");
        assertThat(guest.sh("zcat $(man -w magnetd) | head -n 20").orFail().stdout())
                .contains("0.1.0")
                .doesNotContain("SNAPSHOT");
    }

    @Test
    @Order(7)
    void shouldFindEverythingAsItShouldBe() {
        GuestResult check = guest.sh(Node.LIMIT, "magnet check --passive");

        assertThat(check.exitCode()).as(check.stdout()).isZero();
        assertThat(check.stdout()).containsPattern("(?m)^ok +module +loaded, version 0\\.1\\.0, ABI");
    }

    @Test
    @Order(8)
    void shouldStopAndUnhookWhenSwitchedOffAndComeBack() {
        guest.sh("sed -i 's/enabled = yes/enabled = no/' " + DROP_IN + " && systemctl reload magnetd")
                .orFail();
        module.awaitNothingOn();
        assertThat(node.property("ActiveState")).isEqualTo("active");

        guest.sh("sed -i 's/enabled = no/enabled = yes/' " + DROP_IN + " && systemctl reload magnetd")
                .orFail();
        module.awaitOn("sched_switch");
    }

    @Test
    @Order(9)
    void shouldBuildModuleForKernelThatIsUpdatedTo() {
        node.installFiles(OTHER_HEADERS);

        List<String> releases =
                guest.sh("ls /lib/modules").orFail().stdout().lines().toList();
        assertThat(releases).hasSize(2);
        for (String release : releases) {
            assertThat(guest.sh("dkms status magnet -k " + release).orFail().stdout())
                    .contains(": installed");
            assertThat(guest.sh("modinfo -F vermagic /lib/modules/" + release + "/updates/dkms/magnet.ko")
                            .orFail()
                            .stdout())
                    .startsWith(release + " ");
        }
    }

    @Test
    @Order(10)
    void shouldKeepChangedConfigurationAndRestartOnceWhenUpgraded() throws IOException {
        guest.sh("sed -i 's/^raise-for = 60s/raise-for = 61s/' " + CONFIG + " && sed -i '1i # mine' " + DROP_IN)
                .orFail();
        node.awaitInGmond(METRIC);
        long starts = node.starts();
        String pid = node.property("MainPID");

        MetricGaps gaps = MetricGaps.watch(guest, Node.LIMIT);
        GuestResult upgraded = node.install(NEXT);

        assertThat(guest.sh("dpkg-query -W -f '${Version} ' magnet-dkms magnet-sensor")
                        .stdout())
                .isEqualTo("0.1.0+next 0.1.0+next ");
        node.await("systemctl is-active -q magnetd");
        assertThat(node.property("MainPID")).isNotEqualTo(pid);
        assertThat(node.starts()).isEqualTo(starts + 1);
        assertThat(guest.read(CONFIG)).contains("\nraise-for = 61s\n");
        assertThat(guest.read(DROP_IN)).startsWith("# mine\n");
        // Both sides have changed the drop-in, and only the node's admin the other file.
        assertThat(guest.sh("find /etc -name '*.dpkg-*' -path '*magnet*'").stdout())
                .isEqualTo(DROP_IN + ".dpkg-dist\n");
        assertThat(guest.read(DROP_IN + ".dpkg-dist")).endsWith("# As of 0.1.0+next.\n");
        assertThat(upgraded.stdout()).contains("the running kernel still has the module of before");
        Map<String, Integer> longest = gaps.endAfterAllCameAgain(Node.LIMIT);
        Files.writeString(
                UPGRADE,
                longest + "\n"
                        + guest.sh("journalctl -q -b -o short-monotonic -u magnetd")
                                .stdout());
        assertThat(guest.sh("set -o pipefail; stopped=$(systemctl show --value --timestamp=unix -p"
                                + " ActiveExitTimestamp"
                                + " magnetd) && stat -c"
                                + " '%Y %n'"
                                + " " + MADE + " | awk -v stopped=${stopped#@} '$1 > stopped'")
                        .orFail()
                        .stdout())
                .as("made after the service was told to stop")
                .isEmpty();
        double restart = (Long.parseLong(node.property("ActiveEnterTimestampMonotonic"))
                        - Long.parseLong(node.property("ActiveExitTimestampMonotonic")))
                / 1e6;
        assertThat(longest)
                .hasSizeGreaterThan(METRICS)
                .allSatisfy((metric, seconds) ->
                        assertThat((double) seconds).as(metric).isLessThanOrEqualTo(restart + BESIDE_RESTART_SECONDS));
    }

    @Test
    @Order(11)
    void shouldHaveTheNewModuleByWhatThePackageSaid() {
        assertThat(guest.sh("dkms status magnet").orFail().stdout())
                .contains("0.1.0+next")
                .doesNotContain("0.1.0,");
        assertThat(guest.read("/sys/module/magnet/version")).isEqualTo("0.1.0\n");

        guest.sh(Node.LIMIT, "magnet unload && modprobe magnet && systemctl restart magnetd")
                .orFail();

        assertThat(guest.read("/sys/module/magnet/version")).isEqualTo("0.1.0+next\n");
        module.awaitOn("sched_switch");
        assertThat(node.property("ActiveState")).isEqualTo("active");
    }

    @Test
    @Order(12)
    void shouldExchangeALoadedModuleOfAnotherAbi() {
        String built = "/lib/modules/$(uname -r)/updates/dkms/magnet.ko";
        guest.sh("cp " + built + " /tmp/magnet.ko").orFail();
        // As if it were compiled of a source whose ABI is another one; objcopy leaves the signature out.
        guest.sh("objcopy " + built + " && LC_ALL=C sed -i 's/abi=1\\x00/abi=2\\x00/' " + built
                        + " && modinfo -F abi magnet | grep -x 2")
                .orFail();
        long starts = node.starts();
        int loads = loads();

        GuestResult configured =
                guest.sh(Node.LIMIT, "dpkg-reconfigure magnet-sensor 2>&1").orFail();

        assertThat(configured.stdout()).contains("has a module of another ABI; it is exchanged now");
        assertThat(loads()).isEqualTo(loads + 1);
        module.awaitOn("sched_switch");
        assertThat(node.property("ActiveState")).isEqualTo("active");
        assertThat(node.starts()).isEqualTo(starts + 1);
        guest.sh("mv /tmp/magnet.ko " + built).orFail();
    }

    /** How often the module was loaded since the machine booted. */
    private int loads() {
        return (int) guest.sh("dmesg")
                .orFail()
                .stdout()
                .lines()
                .filter(line -> line.contains("magnet: version "))
                .count();
    }

    @Test
    @Order(13)
    void shouldAddReportsToTheFrontEndAndLeaveWhatSomebodyHasChanged() {
        // The front end of Debian 12 does not run under its PHP: what belongs to it is looked at, without it.
        guest.sh("mkdir -p /usr/share/ganglia-webfrontend /var/lib/ganglia-web/conf")
                .orFail();
        guest.sh("echo '{}' >/var/lib/ganglia-web/conf/default_host.json").orFail();

        assertThat(installReports(BUILT)).contains("views stay empty without $conf['cachemodule'] = 'JsonPhp8'");
        guest.sh("mkdir -p /etc/ganglia-webfrontend && cp $MAGNET_ROOT/integration-tests/web/conf.php"
                        + " /etc/ganglia-webfrontend")
                .orFail();
        guest.sh("echo '{}' >/usr/share/magnet-ganglia-web/conf/view_magnet_cluster.json;"
                        + " echo '{}' >/var/lib/ganglia-web/conf/view_magnet_cluster.json")
                .orFail();
        // Nobody has changed the view; it is the old package's that looks otherwise.
        assertThat(installReports(NEXT)).doesNotContain("JsonPhp8");

        assertThat(guest.sh("cd /usr/share/ganglia-webfrontend && diff -r graph.d"
                                + " $MAGNET_ROOT/gmond-conf/ganglia-web/graph.d")
                        .orFail()
                        .stdout())
                .isEmpty();
        assertThat(guest.read("/var/lib/ganglia-web/conf/default_host.json")).isEqualTo("{}\n");
        assertThat(guest.read("/var/lib/ganglia-web/conf/view_magnet_cluster.json"))
                .contains("magnet cluster");

        guest.sh("rm /var/lib/ganglia-web/conf/view_magnet_cluster.json").orFail();
        installReports(NEXT);
        assertThat(guest.sh("ls /var/lib/ganglia-web/conf").stdout())
                .as("what somebody has removed")
                .isEqualTo("default_host.json\n");
        guest.sh("echo '{}' >/var/lib/ganglia-web/conf/view_magnet_cluster.json")
                .orFail();
        guest.sh("dpkg --purge magnet-ganglia-web").orFail();

        assertThat(guest.sh("find /usr/share/*ganglia-web* /var/lib/ganglia-web -type f")
                        .stdout())
                .isEqualTo("/var/lib/ganglia-web/conf/default_host.json\n");
        guest.sh("rm -rf /var/lib/ganglia-web /usr/share/ganglia-webfrontend /etc/ganglia-webfrontend")
                .orFail();
    }

    /** What the package says meanwhile. */
    private String installReports(String folder) {
        return guest.sh("dpkg --force-depends -i " + folder + "/magnet-ganglia-web_*.deb 2>&1")
                .orFail()
                .stdout();
    }

    @Test
    @Order(14)
    void shouldRecordForTheClusterWhenSomebodyEnablesIt() {
        // What it recommends comes from Debian, which nobody reaches here.
        node.installFiles("--no-install-recommends ./" + NEXT + "/magnet-cluster_*.deb");
        assertThat(guest.sh("systemctl is-enabled magnet-node; systemctl is-active magnet-node")
                        .stdout())
                .isEqualTo("disabled\ninactive\n");
        guest.sh("man -w magnet-cluster-start && man -w magnet-node").orFail();
        // There is nothing to do yet: that is no failure.
        guest.sh("systemctl start magnet-node").orFail();
        assertThat(guest.sh("systemctl is-failed magnet-node").stdout()).isEqualTo("inactive\n");

        GuestResult recorded = guest.sh(Node.LIMIT, """
                magnet cluster key || exit
                printf '%s\\n' '[cluster]' 'record = on' 'address = 127.0.0.1:8655' "nodes = $(hostname)" \\
                    '[recording default]' 'min-free = 0' >>/etc/magnet/magnet.conf
                systemctl enable --now magnet-node || exit
                grep -E '^Cap(Eff|Bnd)' /proc/$(systemctl show --value -p MainPID magnet-node)/status
                magnet cluster start default --at +60s --for 2s --allow-unsynchronised >&2 || exit
                until magnet cluster status --json | grep -q '"state": "\\(done\\|failed\\)"'; do sleep 1; done
                run=$(ls /var/lib/magnet/recordings)
                stat -c %U:%G:%a /var/lib/magnet/recordings/$run
                cat /var/lib/magnet/recordings/$run/$(hostname).json >&2
                magnet report /var/lib/magnet/recordings/$run/$(hostname) | head -n 1
                systemctl disable --now magnet-node
                """).orFail();
        assertThat(recorded.stdout().lines().toList())
                .as("%s", recorded)
                .startsWith("CapEff:\t" + PERFMON_AND_NET_RAW, "CapBnd:\t" + PERFMON_AND_NET_RAW, "magnet:magnet:750")
                .hasSize(4);
        assertThat(guest.sh("systemd-analyze security --no-pager --threshold=25 magnet-node")
                        .orFail()
                        .stdout())
                .contains("Overall exposure level");
    }

    @Test
    @Order(15)
    void shouldLeaveNothingButTheUserWhenPurged() {
        // Somebody has a file of the module open: it stays, and that is said.
        guest.sh("systemd-run -q --unit=reader -p StandardOutput=append:/dev/magnet/marker sleep infinity")
                .orFail();
        assertThat(node.purge().stdout()).contains("magnet-dkms: somebody reads from the module; it stays loaded");
        guest.sh("systemctl stop reader && rmmod magnet").orFail();

        assertThat(module.isLoaded()).isFalse();
        assertThat(guest.run("systemctl", "cat", "magnetd").exitCode()).isNotZero();
        assertThat(guest.run("getent", "passwd", "magnet").exitCode()).isZero();
        Set<String> left = filesSinceBoot();
        // The other kernel's headers and the lists of its modules are not ours; modules below it would be.
        left.removeIf(path -> path.matches("/usr/(src|share/doc)/linux-headers-.*")
                || path.matches("/usr/lib/modules/[^/]+(/(build|source|modules\\.[^/]+))?"));
        assertThat(left).isEmpty();
        assertThat(guest.sh("ls -d /run/magnetd /run/magnet /dev/magnet").stdout())
                .isEmpty();
        assertThat(guest.sh("systemctl --failed --plain --no-legend").stdout()).isEmpty();
    }
}
