// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
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
        return KtapProgram.run(guest, "test-attributes", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> reading() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-reading", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> readingInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-reading", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> async() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-async", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> merged() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-merged", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> mergedInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-merged", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> buffers() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-buffers", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> buffersInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-buffers", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> recorders() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-recorders", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> recordersInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-recorders", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> sharing() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-sharing", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> races() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-races", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> control() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-control", LIMIT);
    }
}
