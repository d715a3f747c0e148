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

/** A ring of 256 MiB, filled and read, twice; all others that tests fill are small. */
@GuestTest
@Tag("long")
final class LargestRingIT {
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private final Guest guest;

    LargestRingIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> wide() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-largest", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> classic() {
        KernelModule.load(guest, "layout=classic");
        return KtapProgram.run(guest, "test-largest", LIMIT);
    }
}
