// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random operations on the module's family and files; their number is fixed, some thirty seconds' worth. */
@GuestTest(turns = true)
@ExtendWith(LoadedModule.class)
final class FuzzIT {
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private final Guest guest;

    FuzzIT(Guest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> operations() {
        return KtapProgram.run(guest, "test-fuzz", LIMIT, "-n", "250000");
    }
}
