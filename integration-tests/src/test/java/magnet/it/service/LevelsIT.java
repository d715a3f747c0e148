// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Level;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Nobody pays for what is not shown: the points of the level in force are on, and no others. What they logged is read to the
 * last meanwhile.
 */
@GuestTest(smp = 1)
final class LevelsIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String SUMMARY = "/tmp/summary.json";
    private static final String CONFIG = GmondConf.CONFIG + """
            [publish]
            interval = 1s
            window = 3s
            [metrics]
            level = %s
            """;

    private final Guest guest;
    private final ModuleState module;

    LevelsIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
    }

    @BeforeAll
    static void load(Guest guest) {
        KernelModule.load(guest);
        GmondConf.install(guest);
    }

    @AfterEach
    void awaitEnd() {
        module.awaitNothingOn();
    }

    @Test
    void shouldHookWhatTheLevelNeedsWhenItChangesUnderWay() {
        Magnetd.configure(guest, CONFIG.formatted("heartbeat"));
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            assertThat(module.pointsOn()).isEqualTo(points(Level.HEARTBEAT));
            assertThat(module.functionsHooked()).isEmpty();

            change(magnetd, Level.FULL);
            assertThat(module.pointsOn()).isEqualTo(points(Level.FULL));

            change(magnetd, Level.SUMMARY);
            assertThat(module.pointsOn()).isEqualTo(points(Level.SUMMARY));

            change(magnetd, Level.HEARTBEAT);
            assertThat(module.pointsOn()).isEqualTo(points(Level.HEARTBEAT));
            assertThat(module.functionsHooked()).isEmpty();

            assertThat(magnetd.log().lines().filter(line -> line.contains(" INFO publishing ")))
                    .as("one run")
                    .hasSize(1);
            magnetd.stop().orFail();
        }
        assertEveryEventDelivered();
    }

    @Test
    void shouldRaiseTheLevelForAWhileWhenAMetricCrossesABound() {
        Magnetd.configure(
                guest,
                CONFIG.formatted("heartbeat")
                        + "raise-when = magnet_process_forks_rate > 20\nraise-to = summary\nraise-for = 30s\n");
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            guest.sh(LIMIT, "for ((i = 0; i < 400; i++)); do (:); done").orFail();
            magnetd.awaitLog("magnet_process_forks_rate > 20.0: level summary for 30 s")
                    .awaitLog("level summary: " + Metrics.DEFAULT.size() + " metrics");
            magnetd.awaitLog("back to level heartbeat").awaitLog("level heartbeat: ");
            assertThat(module.pointsOn()).isEqualTo(points(Level.HEARTBEAT));
            magnetd.stop().orFail();
        }
        assertEveryEventDelivered();
        assertThat(subscriptions()).as("points that were on meanwhile").hasSameSizeAs(points(Level.SUMMARY));
    }

    @Test
    @Tag("long")
    void shouldHookWhatIsReplacedWhileItIsAndOnlyThen() {
        String heartbeat = CONFIG.formatted(Level.HEARTBEAT.key());
        int metrics = Metrics.of(Level.HEARTBEAT).size();
        Magnetd.configure(guest, heartbeat);
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            assertThat(module.pointsOn()).isEqualTo(points(Level.HEARTBEAT));

            reload(magnetd, heartbeat + "replace = cpu, network\n");
            magnetd.awaitLog("level heartbeat: " + (metrics + 8) + " metrics");
            Set<String> replacing = new TreeSet<>(points(Level.HEARTBEAT));
            replacing.addAll(Set.of("cpu_time", "net_dev_receive", "net_dev_xmit"));
            assertThat(module.pointsOn()).isEqualTo(replacing);

            reload(magnetd, heartbeat);
            magnetd.awaitLog("level heartbeat: " + metrics + " metrics");
            assertThat(module.pointsOn()).isEqualTo(points(Level.HEARTBEAT));
            magnetd.stop().orFail();
        }
        assertEveryEventDelivered();
    }

    private void change(Magnetd magnetd, Level level) {
        reload(magnetd, CONFIG.formatted(level.key()));
        magnetd.awaitLog("level " + level.key() + ": " + Metrics.of(level).size() + " metrics");
    }

    private void reload(Magnetd magnetd, String config) {
        Magnetd.configure(guest, config);
        guest.run("kill", "-HUP", String.valueOf(magnetd.pid())).orFail();
    }

    /**
     * What is logged is delivered. How much a ring has room for hangs on how quick the machine is that emulates this one:
     * that nothing is lost is held where instructions are counted, in LevelsUnderLoadIT.
     */
    private void assertEveryEventDelivered() {
        for (JsonElement subscription : subscriptions()) {
            for (JsonElement cpu : subscription.getAsJsonObject().getAsJsonArray("cpus")) {
                assertThat(cpu.getAsJsonObject().get("delivered").getAsLong())
                        .as(subscription.toString())
                        .isEqualTo(cpu.getAsJsonObject().get("committed").getAsLong());
            }
        }
    }

    private Iterable<JsonElement> subscriptions() {
        return Json.object(guest.read(SUMMARY)).getAsJsonArray("subscriptions");
    }

    private static Set<String> points(Level level) {
        return Metrics.eventsOf(Metrics.of(level)).stream()
                .map(EventType::label)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
