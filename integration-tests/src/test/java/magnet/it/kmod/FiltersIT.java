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

/** Rules, sampling, storm guard and what a record carries of its packet, in the module's own C test programs. */
@GuestTest
final class FiltersIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Guest guest;

    FiltersIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> filters() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-filters", LIMIT);
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> filtersInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-filters", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> chainsAgainstTheirModel() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-chains", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> handlersInsideOthers() {
        KernelModule.load(guest);
        return nestedProgram();
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> handlersInsideOthersInLayoutClassic() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return nestedProgram();
    }

    @TestFactory
    Stream<DynamicTest> packets() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-packets", LIMIT);
    }

    private Stream<DynamicTest> nestedProgram() {
        return KtapProgram.runBeside(guest, KernelModule.nested(guest.options().kernel()), "test-nested", LIMIT);
    }
}
