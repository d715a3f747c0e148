// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Each point under known work: as many events as there was work, and as the kernel counts by itself. */
@GuestTest
final class PointsIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Guest guest;

    PointsIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest);
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> network() {
        return KtapProgram.run(guest, "test-network", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> others() {
        return KtapProgram.run(guest, "test-points", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> reclaim() {
        return KtapProgram.run(guest, "test-reclaim", LIMIT);
    }
}
