// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Who may see kernel addresses, fetch memory, take packets; how much one may have; a module without dynamic points. */
@GuestTest(turns = true)
final class RightsIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Guest guest;

    RightsIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> rights() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-rights", LIMIT);
    }

    @Test
    void shouldInsertNoPointWhenLoadedWithDynamicOff() {
        String definition = "f:" + KernelFunctions.ofSystemCall(guest, "sched_get_priority_max");
        KernelModule.load(guest, "dynamic=off");

        GuestResult refused = guest.run(LIMIT, "build/tools/magnet-read", "-i", definition, "-d", "1");
        GuestResult builtIn = guest.run(LIMIT, "build/tools/magnet-read", "-p", "udp_sendmsg", "-d", "1");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("the module was loaded with dynamic=off: no points can be inserted");
        assertThat(guest.read("/sys/module/magnet/parameters/dynamic")).startsWith("N");
        builtIn.orFail();
    }
}
