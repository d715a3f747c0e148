// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Correlating filters find exactly what follows from the times of the events, in both record layouts. */
@GuestTest
final class CorrelationIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Guest guest;

    CorrelationIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> wide() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-correlate", LIMIT);
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> classic() {
        KernelModule.load(guest, "layout=classic");
        return KtapProgram.run(guest, "test-correlate", LIMIT);
    }
}
