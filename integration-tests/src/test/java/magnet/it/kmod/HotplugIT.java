// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** CPUs that come and go while events flow, in a guest where more are possible than there are. */
@GuestTest(smp = 2, possibleCpus = 4)
final class HotplugIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final Guest guest;

    HotplugIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldHaveMorePossibleCpusThanThereAre() {
        KernelModule.load(guest);
        assertThat(guest.read("/sys/devices/system/cpu/possible")).isEqualTo("0-3\n");
        assertThat(guest.read("/sys/devices/system/cpu/present")).isEqualTo("0-1\n");
    }

    @TestFactory
    Stream<DynamicTest> hotplug() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-hotplug", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> hotplugInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-hotplug", LIMIT);
    }
}
