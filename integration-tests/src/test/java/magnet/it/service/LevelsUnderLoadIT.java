// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Level;
import magnet.metric.Metrics;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The level changes while the node's one processor has much to do besides, rings are as small as they are shipped, and the
 * JVM has compiled nothing of what the level needs. The collector goes on reading: nothing is lost. The guest's clock counts
 * instructions: what fits between two looks at the files does not hang on the machine.
 */
@GuestTest(icount = true)
@Tag("long")
final class LevelsUnderLoadIT {
    private static final String SUMMARY = "/tmp/summary.json";
    /** A window has as many intervals as it is shipped with. */
    private static final String CONFIG = GmondConf.CONFIG + """
            [publish]
            interval = 1s
            window = 5s
            [metrics]
            level = %s
            raise-when = %s
            """;
    /** Holds in each window. */
    private static final String ALWAYS = "magnet_sensor_window_length > 0";

    private static final String PORT = "9000";
    private static final String BYTES = "64";
    /** Each is some twenty events at level full. */
    private static final String DATAGRAMS_PER_SECOND = "1000";

    private static final String FOR_EVER = "100000";
    /** What is shipped: {@code buffer-size} in magnet.conf. */
    private static final double RING_BYTES = 256 * 1024;

    private static final double RECORD_BYTES = 56;

    private static JsonObject summary = new JsonObject();
    /** Events at level full. */
    private static double perSecond;

    @BeforeAll
    static void changeTheLevel(Guest guest) {
        KernelModule.load(guest);
        GmondConf.install(guest);
        GuestProcess receiver = guest.start("build/tools/udp_stream", "receive", PORT, FOR_EVER);
        GuestProcess sender =
                guest.start("build/tools/udp_stream", "send", "127.0.0.1", PORT, BYTES, DATAGRAMS_PER_SECOND, FOR_EVER);
        Magnetd.configure(guest, CONFIG.formatted(Level.FULL.key(), ""));
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            // A level changes where a window has ended: one of level full did, with nothing compiled.
            int before = magnetd.log().length();
            Magnetd.configure(guest, CONFIG.formatted(Level.HEARTBEAT.key(), ALWAYS));
            guest.run("kill", "-HUP", String.valueOf(magnetd.pid())).orFail();
            magnetd.awaitLog(before, measured(Level.HEARTBEAT));
            // The rule raises it again by itself.
            magnetd.awaitLog(before, ALWAYS + ".0: level full for ").awaitLog(before, measured(Level.FULL));
            // A window of the level ends, too.
            perSecond = hitsPerSecond(guest);
            magnetd.stop().orFail();
        }
        sender.kill();
        receiver.kill();
        summary = Json.object(guest.read(SUMMARY));
    }

    private static String measured(Level level) {
        return "level " + level.key() + ": " + Metrics.of(level).size() + " metrics";
    }

    private static double hitsPerSecond(Guest guest) {
        ModuleState module = new ModuleState(guest);
        double began = uptime(guest);
        long before = module.hits();
        guest.run("sleep", "2").orFail();
        long hits = module.hits() - before;
        return hits / (uptime(guest) - began);
    }

    /** Seconds since the guest was started. */
    private static double uptime(Guest guest) {
        return Double.parseDouble(guest.read("/proc/uptime").split(" ", 2)[0]);
    }

    @Test
    void shouldLoseNothing() {
        assertThat(summary.get("lost").getAsLong()).isZero();
        for (JsonElement subscription : summary.getAsJsonArray("subscriptions")) {
            for (JsonElement cpu : subscription.getAsJsonObject().getAsJsonArray("cpus")) {
                assertThat(cpu.getAsJsonObject().get("dropped_full").getAsLong())
                        .as("%s", subscription)
                        .isZero();
                assertThat(cpu.getAsJsonObject().get("delivered").getAsLong())
                        .as("%s", subscription)
                        .isEqualTo(cpu.getAsJsonObject().get("committed").getAsLong());
            }
        }
    }

    /** In the longest time that nobody looked, the ring could not have been filled at the rate of level full. */
    @Test
    void shouldNotLeaveTheFilesForLongerThanTheRingTakesToFill() {
        assertThat(perSecond).as("some twenty for each datagram").isGreaterThan(15_000);
        assertThat(summary.get("away_micros_max").getAsDouble())
                .as("at %s events/s", perSecond)
                .isPositive()
                .isLessThan(RING_BYTES / RECORD_BYTES / perSecond * 1e6);
    }
}
