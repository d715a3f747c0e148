// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each point under known work: as many events as there was work, and as the kernel counts by itself. */
@GuestTest(turns = true)
@ExtendWith(LoadedModule.class)
final class PointsIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Guest guest;

    PointsIT(Guest guest) {
        this.guest = guest;
    }

    @TestFactory
    Stream<DynamicTest> network() {
        return KtapProgram.run(guest, "test-network", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> others() {
        return KtapProgram.runSkipping(withoutGroups("each_victim_is_logged"), guest, "test-points", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> names() {
        return KtapProgram.run(guest, "test-names", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> owners() {
        return KtapProgram.run(guest, "test-owners", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> majorFaults() {
        return KtapProgram.run(guest, "test-faults", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> reclaim() {
        return KtapProgram.runSkipping(
                withoutGroups("each_reclaim_in_a_group_is_logged"), guest, "test-reclaim", LIMIT);
    }

    private Map<String, String> withoutGroups(String test) {
        return KtapProgram.whereFaultsAreLookedFor(guest, test, "no control group with a limit for memory");
    }
}
