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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Every allocation of every request fails once, on the kernel that can do that and finds what is left behind. */
@GuestTest(turns = true)
@Tag("debug")
final class ShortageIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final String SCAN = "integration-tests/harness/kmemleak-scan";

    private final Guest guest;

    ShortageIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        guest.run(LIMIT, SCAN, "--clear").orFail();
        KernelModule.load(guest);
    }

    @AfterEach
    void remove() {
        guest.run(LIMIT, SCAN).orFail();
        KernelModule.remove(guest);
        guest.run(LIMIT, SCAN).orFail();
    }

    @TestFactory
    Stream<DynamicTest> allocations() {
        return KtapProgram.run(guest, "test-shortage", LIMIT);
    }
}
