// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOnlyOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.ModuleState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * "magnet adapt" and the sample AdaptiveSender against the real module. The link is a dummy device behind a token bucket:
 * it takes 100 datagrams of 100 bytes per second (142 with their headers) and drops what is more; "tc -s qdisc" counts
 * what. Seconds are counted in instructions: how soon a sender is told does not depend on what else this machine does.
 */
@GuestTest(icount = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class AdaptIT {
    private static final String ADAPT = "sensor-java/bin/magnet adapt ";
    private static final String NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    private static final String DROPS = "magnet_net_drops_queue_rate";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String LINK = """
            ip link add narrow type dummy
            ip address add 10.8.0.1/24 dev narrow
            ip link set narrow up
            tc qdisc add dev narrow root tbf rate 113600bit burst 1420 limit 2840
            """;
    /** Rate that it begins with and never exceeds: four times what the link takes. */
    private static final String SENDER =
            "java -cp 'sensor-java/target/test-classes:sensor-java/target/lib/*' adaptive.AdaptiveSender"
                    + " 10.8.0.2 9 400 20 ";

    private final Guest guest;

    AdaptIT(Guest guest) {
        this.guest = guest;
    }

    /** Of the datagrams that went to the link. */
    private record Sent(long datagrams, long dropped) {
        double share() {
            return (double) dropped / datagrams;
        }
    }

    private long dropped() {
        Matcher matcher = Pattern.compile("dropped (\\d+)")
                .matcher(guest.sh("tc -s qdisc show dev narrow").orFail().stdout());
        assertThat(matcher.find()).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private Sent send(String how) {
        long before = dropped();
        GuestResult result = guest.sh(LIMIT, SENDER + how).orFail();
        Matcher sent = Pattern.compile("(?m)^sent (\\d+)$").matcher(result.stdout());
        assertThat(sent.find()).as(result.toString()).isTrue();
        return new Sent(Long.parseLong(sent.group(1)), dropped() - before);
    }

    private List<String> told() {
        return guest.sh("cat /tmp/told 2>/dev/null || true")
                .orFail()
                .stdout()
                .lines()
                .toList();
    }

    private void prepare() {
        if (!KernelModule.isLoaded(guest)) {
            KernelModule.load(guest);
            guest.sh(LIMIT, LINK).orFail();
        }
    }

    @Test
    @Order(0)
    void shouldSayInOneLineWhatIsMissing() {
        String command = ADAPT + "--when '" + DROPS + " > 0' -d 1";
        assertOnlyOneLine(guest.sh(LIMIT, command), 5, "the kernel module is not loaded");
        prepare();
        assertOnlyOneLine(guest.sh(LIMIT, NOBODY + command), 6, "CAP_PERFMON", "root");
    }

    @Test
    @Order(1)
    void shouldRunItsCommandOnceWhenDropsBeginAndOnceWhenTheyEnd() {
        prepare();
        GuestProcess adapt = guest.start(
                "env",
                "--default-signal=INT",
                "bash",
                "-c",
                "exec " + ADAPT + "--when '" + DROPS + " > 5' --until '" + DROPS + " < 1' --hold 3 --json"
                        + " --then 'echo $MAGNET_STATE $MAGNET_METRIC >>/tmp/told'"
                        + " --else 'echo $MAGNET_STATE $MAGNET_VALUE >>/tmp/told'");
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(() -> adapt.stderr().contains("watching"));
        assertThat(told()).isEmpty();

        assertThat(send("fixed").dropped()).isPositive();

        adapt.awaitOutput("\"state\": \"ends\"", LIMIT);
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).until(() -> told().size() == 2);
        adapt.signal("INT");
        GuestResult result = adapt.waitFor(LIMIT).orFail();

        assertThat(told()).containsExactly("begins " + DROPS, "ends 0");
        assertThat(result.stdout().lines()).as(result.toString()).hasSize(2);
        assertThat(result.stderr()).contains("magnet: 2 changes; no events were lost in ");
        new ModuleState(guest).awaitNothingOn();
    }

    /** The same sender, the same link, one after the other. */
    @Test
    @Tag("long")
    @Order(2)
    void shouldLoseFarLessWhereTheSenderAdapts() {
        prepare();
        Sent fixed = send("fixed");
        Sent adaptive = send("");

        assertThat(fixed.share()).as("the link is too narrow for it: %s", fixed).isGreaterThan(0.5);
        assertThat(adaptive.dropped())
                .as("it finds out where the end is: %s", adaptive)
                .isPositive();
        assertThat(adaptive.share())
                .as("adaptive %s, fixed %s", adaptive, fixed)
                .isLessThan(fixed.share() / 2);
        assertThat(adaptive.datagrams() - adaptive.dropped())
                .as("and most of what the link takes gets through: %s, %s", adaptive, fixed)
                .isGreaterThan((fixed.datagrams() - fixed.dropped()) / 2);
        new ModuleState(guest).awaitNothingOn();
    }

    @Tag("long")
    @Test
    @Order(3)
    void shouldEndConditionsWhenTheModuleIsUnloaded() {
        prepare();
        guest.sh("rm -f /tmp/told").orFail();
        GuestProcess adapt = guest.start(
                "bash",
                "-c",
                "exec " + ADAPT
                        + "--when 'magnet_sched_context_switches_rate > 0' --else 'echo $MAGNET_STATE >>/tmp/told'");
        adapt.awaitOutput("begins", LIMIT);
        guest.run(LIMIT, "sensor-java/bin/magnet", "unload").orFail();
        GuestResult result = adapt.waitFor(LIMIT);

        assertThat(result.exitCode()).as(result.toString()).isEqualTo(7);
        assertThat(result.stderr()).contains("the module was unloaded");
        assertThat(result.stdout()).contains("ends");
        assertThat(told()).containsExactly("ends");
    }
}
