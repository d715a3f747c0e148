// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** "magnet check" on a real node. The kernel is locked down at last, from which there is no way back. */
@GuestTest(smp = 1)
@Tag("stock")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class CheckIT {
    private static final String CHECK = "sensor-java/bin/magnet check ";
    private static final String NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final Guest guest;

    CheckIT(Guest guest) {
        this.guest = guest;
    }

    private GuestResult check(int exitCode, String command) {
        GuestResult result = guest.sh(LIMIT, command);
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
        assertThat(result.stderr()).isEmpty();
        return result;
    }

    private static String line(GuestResult result, String check) {
        return result.stdout()
                .lines()
                .filter(line -> line.matches("(ok|warning|failed|skipped) +" + check + " .*"))
                .collect(Collectors.joining("\n"));
    }

    private void gmondConf(String text) {
        guest.sh("mkdir -p /etc/ganglia && cat >/etc/ganglia/gmond.conf <<'END'\n" + text + "\nEND")
                .orFail();
    }

    /** Nagios' own user has no rights; magnetd does not run here. */
    private void assertWarnsNagios() {
        GuestResult line = check(1, NOBODY + CHECK + "--nagios");
        assertThat(line.stdout())
                .matches("MAGNET WARNING: .* \\| ok=\\d+;;;0 warnings=\\d+;0;;0 failed=0;;0;0 lost=\\d+c;;;0\n");
        assertThat(enabledFunctions()).isEmpty();
    }

    private String enabledFunctions() {
        return guest.sh("grep magnet /sys/kernel/tracing/enabled_functions").stdout();
    }

    private void prepare() {
        gmondConf("udp_send_channel { host = 127.0.0.1 port = 8649 }");
        KernelModule.loadUnlessLoaded(guest, "gid=4242");
    }

    @Test
    @Order(0)
    void shouldSayHowToGetTheModule() {
        GuestResult result = check(1, CHECK);

        assertThat(line(result, "java")).startsWith("ok");
        assertThat(line(result, "module")).startsWith("failed").contains("not loaded");
        assertThat(result.stdout()).contains("remedy: ", "insmod sensor-kmod/magnet.ko");
        assertThat(line(result, "hooks")).startsWith("skipped");
        assertThat(line(result, "lockdown")).startsWith("ok");
        assertThat(line(result, "ftrace")).startsWith("ok");
    }

    @Test
    @Order(1)
    void shouldFindNothingFailedWhereAllWorks() {
        prepare();

        GuestResult result = check(0, CHECK);

        for (String what : new String[] {
            "module",
            "netlink",
            "clock",
            "nodes",
            "points",
            "losses",
            "hooks",
            "events",
            "files",
            "capabilities",
            "debugfs",
            "ftrace",
            "kprobes",
            "dynamic",
            "rights",
            "gmond.conf",
            "channel",
            "memory"
        }) {
            assertThat(line(result, what)).as(result.stdout()).startsWith("ok ");
        }
        int points = new ModuleState(guest).events().size();
        assertThat(line(result, "points")).endsWith(points + " of " + points + " are on this kernel");
        assertThat(line(result, "hooks")).contains(points + " points could be hooked");
        assertThat(line(result, "nodes")).contains("group 4242");
        assertThat(line(result, "channel")).contains("127.0.0.1:8649: goes to 127.0.0.1 from 127.0.0.1");
        assertThat(line(result, "service")).startsWith("warning").contains("does not run");
        assertThat(result.stdout()).contains(" 0 failed, 0 skipped");
        assertThat(enabledFunctions()).as("it let go of all").isEmpty();
        new ModuleState(guest).awaitNothingOn();
    }

    @Test
    @Tag("long")
    @Order(2)
    void shouldSayWhatAUserMayNotAndHookNothing() {
        prepare();
        GuestResult result = check(1, NOBODY + CHECK);

        assertThat(line(result, "module")).startsWith("ok");
        assertThat(line(result, "capabilities")).startsWith("failed").contains("CAP_PERFMON");
        assertThat(line(result, "nodes")).startsWith("failed").contains("group 4242");
        assertThat(line(result, "hooks")).startsWith("skipped");
        assertThat(line(result, "debugfs")).startsWith("warning");
        assertThat(result.stdout()).contains("AmbientCapabilities=CAP_PERFMON");
        assertWarnsNagios();

        GuestResult service = check(
                0,
                "setpriv --reuid=65534 --regid=65534 --groups=4242 --inh-caps=+perfmon --ambient-caps=+perfmon "
                        + CHECK);
        assertThat(line(service, "capabilities"))
                .isEqualTo(
                        "ok       capabilities  " + "CAP_PERFMON: enough to control the module, but not for points that"
                                + " fetch memory (CAP_BPF) and for packets' bytes (CAP_NET_RAW)");
        assertThat(line(service, "files")).as("what a service needs is enough").startsWith("ok");
    }

    @Test
    @Tag("long")
    @Order(3)
    void shouldSeeWhatIsBroken() {
        prepare();
        gmondConf("udp_send_channel { host = 127.0.0.1 port = 8649 }\n"
                + "udp_send_channel { mcast_join = 239.2.11.71 mcast_if = nosuch0 port = 8649 }");
        guest.sh("echo 0 >/sys/kernel/debug/kprobes/enabled").orFail();
        GuestResult kprobes = check(1, CHECK);
        assertThat(line(kprobes, "kprobes")).startsWith("failed").contains("switched off");
        guest.sh("echo 1 >/sys/kernel/debug/kprobes/enabled").orFail();
        guest.sh("umount /sys/kernel/debug && sysctl -q kernel.ftrace_enabled=0")
                .orFail();
        try {
            GuestResult result = check(1, CHECK + "--json");

            JsonObject all = Json.object(result.stdout());
            Map<String, String> states = StreamSupport.stream(
                            all.getAsJsonArray("findings").spliterator(), false)
                    .map(JsonElement::getAsJsonObject)
                    .collect(Collectors.toMap(
                            each -> each.get("check").getAsString(),
                            each -> each.get("state").getAsString(),
                            (one, other) -> one + " " + other));
            assertThat(states)
                    .containsEntry("ftrace", "failed")
                    .containsEntry("debugfs", "warning")
                    .containsEntry("channel", "ok failed")
                    .containsEntry("module", "ok");
            assertThat(all.get("failed").getAsInt()).isPositive();
            assertThat(result.stdout()).contains("there is no interface nosuch0");
            assertThat(guest.sh("sensor-java/bin/magnet status").orFail().stdout())
                    .contains("switched off: points at the entry");
        } finally {
            guest.sh("mount -t debugfs debugfs /sys/kernel/debug && sysctl -q kernel.ftrace_enabled=1")
                    .orFail();
        }
        gmondConf("udp_send_channel {");
        assertThat(line(check(1, CHECK + "--passive"), "gmond.conf")).startsWith("failed");
        gmondConf("udp_send_channel { host = 127.0.0.1 port = 8649 }");
    }

    @Test
    @Tag("long")
    @Order(4)
    void shouldSayThatNoPointCanBeInserted() {
        prepare();
        KernelModule.remove(guest);
        KernelModule.load(guest, "dynamic=off", "gid=4242");
        guest.sh("printf '[handler opens]\\nkind = rate\\npoint = f:vfs_read\\n' >/tmp/magnet.conf")
                .orFail();

        assertThat(line(check(0, CHECK + "--passive"), "dynamic"))
                .startsWith("ok")
                .contains("loaded with dynamic=off");
        assertThat(line(check(1, CHECK + "--passive -c /tmp/magnet.conf"), "dynamic"))
                .startsWith("failed")
                .endsWith(": opens");
        assertThat(guest.run(LIMIT, "sensor-java/bin/magnet", "status").orFail().stdout())
                .contains("dynamic   off: loaded with dynamic=off");

        KernelModule.remove(guest);
        KernelModule.load(guest, "gid=4242");
    }

    @Test
    @Order(5)
    void shouldExplainLockdown() {
        prepare();
        guest.sh("echo integrity >/sys/kernel/security/lockdown").orFail();
        GuestResult loaded = check(0, CHECK);
        assertThat(line(loaded, "lockdown")).startsWith("ok").contains("integrity; the module is loaded all the same");
        assertThat(line(loaded, "hooks")).startsWith("ok");
        assertThat(line(loaded, "kprobes")).startsWith("ok");
        KernelModule.remove(guest);

        GuestResult result = check(1, CHECK);

        assertThat(line(result, "lockdown")).startsWith("warning").contains("integrity", "not signed");
        assertThat(result.stdout()).contains("mokutil --import");
    }
}
