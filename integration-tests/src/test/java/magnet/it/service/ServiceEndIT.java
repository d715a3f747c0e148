// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However the service or the module ends, nothing stays switched on, and everybody is told. */
@GuestTest(smp = 1)
@Tag("long")
final class ServiceEndIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int KILLED = 128 + 9;
    private static final int MODULE_GONE = 7;

    private final Guest guest;
    private final ModuleState module;

    ServiceEndIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
    }

    @BeforeEach
    void load() {
        KernelModule.loadUnlessLoaded(guest);
        GmondConf.install(guest);
        Magnetd.configure(guest, GmondConf.CONFIG);
    }

    private void assertAllOn() {
        assertThat(module.pointsOn()).contains("sched_switch", "udp_sendmsg", "softirq_exit");
        assertThat(module.buffers()).hasSize(1);
        assertThat(module.functionsHooked()).isNotEmpty();
    }

    @Test
    void shouldLeaveNothingOnWhenServiceIsKilled() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            assertAllOn();

            assertThat(magnetd.kill().exitCode()).isEqualTo(KILLED);
        }
        module.awaitNothingOn();
    }

    /** Those who try rmmod before they tell the service to end do no harm. */
    @Test
    void shouldLeaveNothingOnWhenServiceIsToldToEnd() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            GuestResult refused = guest.run("rmmod", "magnet");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.stderr()).contains("in use");
            long hits = module.hits();
            Awaitility.await().atMost(LIMIT).until(() -> module.hits() > hits);
            assertAllOn();

            assertThat(magnetd.stop().exitCode()).isZero();
            assertThat(magnetd.log()).doesNotContain("ERROR");
        }
        module.awaitNothingOn();
    }

    @Test
    void shouldEndAllReadersWhenModuleIsUnloaded() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            GuestProcess reader = guest.start(Magnet.COMMAND, "read", "-p", "udp_enqueue");
            module.awaitOn("udp_enqueue");

            GuestResult unloaded = Magnet.run(guest, "unload");

            assertThat(unloaded.exitCode()).as("%s", unloaded).isZero();
            assertThat(module.isLoaded()).isFalse();
            assertThat(magnetd.await().exitCode()).isEqualTo(MODULE_GONE);
            assertThat(magnetd.log()).as("somebody asked for it").doesNotContain("ERROR");
            assertThat(magnetd.log().lines().filter(line -> line.contains("module was unloaded")))
                    .singleElement()
                    .asString()
                    .contains("WARN");
            GuestResult read = reader.waitFor(LIMIT).orFail();
            assertThat(read.stderr().lines()).singleElement().asString().contains("removed the buffer");
        }
    }
}
