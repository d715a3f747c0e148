// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Ten million random operations on the kernel that looks for faults, where the first warning is the end. Expedited grace
 * periods: what is freed too early is gone at once, and the operations wait less for each other.
 */
@GuestTest(kernel = "debug", append = "panic_on_warn=1 rcupdate.rcu_expedited=1")
@Tag("long")
final class FuzzLongIT {
    /** Six times as long on the debug kernel, see {@link magnet.it.guest.GuestOptions#scaled}. */
    private static final Duration LIMIT = Duration.ofHours(1);

    private static final String SCAN = "integration-tests/harness/kmemleak-scan";

    private final Guest guest;

    FuzzLongIT(Guest guest) {
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
    Stream<DynamicTest> operations() throws IOException {
        GuestProcess program = guest.start("build/tools/test-fuzz", "-n", "10000000");
        try (SavedOutput saved = new SavedOutput(program, "fuzz-10000000.log")) {
            return KtapProgram.results(saved.waitFor(LIMIT));
        }
    }
}
