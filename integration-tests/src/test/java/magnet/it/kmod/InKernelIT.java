// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Tests that are inside the kernel: CPU counters. A guest without a PMU has those that are software; the report says
 * so.
 */
@GuestTest
final class InKernelIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;

    InKernelIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    void shouldPassInsideTheKernel(TestReporter reporter) {
        String module = KernelModule.test(guest.options().kernel()).toString();

        int status = guest.run(LIMIT, "insmod", module).exitCode();

        String told = guest.sh("dmesg | grep 'magnet_test: '").stdout();
        told.lines().filter(line -> line.contains("magnet_test: # ")).forEach(reporter::publishEntry);
        assertThat(status).as(told).isZero();
        assertThat(told).containsPattern("magnet_test: \\d+ passed, 0 failed");
        guest.run("rmmod", "magnet_test").orFail();
    }
}
