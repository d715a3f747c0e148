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

/** Data files and the control protocol by the module's own test programs, in both layouts and with both clocks. */
@GuestTest
final class DataFilesIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Guest guest;

    DataFilesIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> attributes() {
        KernelModule.load(guest);
        return KtapProgram.runSkipping(
                KtapProgram.whereFaultsAreLookedFor(
                        guest, "calls_of_32_bit_programs", "this kernel runs no 32-bit programs"),
                guest,
                "test-attributes",
                LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> reading() {
        return wide("test-reading");
    }

    @TestFactory
    Stream<DynamicTest> readingInLayoutClassic() {
        return classic("test-reading");
    }

    @TestFactory
    Stream<DynamicTest> client() {
        return wide("test-client");
    }

    @TestFactory
    Stream<DynamicTest> async() {
        return wide("test-async");
    }

    @TestFactory
    Stream<DynamicTest> merged() {
        return wide("test-merged");
    }

    @TestFactory
    Stream<DynamicTest> mergedInLayoutClassic() {
        return classic("test-merged");
    }

    @TestFactory
    Stream<DynamicTest> buffers() {
        return wide("test-buffers");
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> buffersInLayoutClassic() {
        return classic("test-buffers");
    }

    @TestFactory
    Stream<DynamicTest> recorders() {
        return wide("test-recorders");
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> recordersInLayoutClassic() {
        return classic("test-recorders");
    }

    @TestFactory
    Stream<DynamicTest> stuckHandlers() {
        KernelModule.load(guest);
        return KtapProgram.runBeside(guest, KernelModule.stuck(guest.options().kernel()), "test-stuck", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> jumpsOfTheTimer() {
        KernelModule.load(guest);
        return KtapProgram.runBeside(guest, KernelModule.jump(guest.options().kernel()), "test-jumps", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> sharing() {
        return wide("test-sharing");
    }

    @TestFactory
    Stream<DynamicTest> races() {
        return wide("test-races");
    }

    @TestFactory
    Stream<DynamicTest> control() {
        return wide("test-control");
    }

    private Stream<DynamicTest> wide(String program) {
        KernelModule.load(guest);
        return KtapProgram.run(guest, program, LIMIT);
    }

    private Stream<DynamicTest> classic(String program) {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, program, LIMIT);
    }
}
