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

/** Whose events these are by a hierarchy of cgroups of version 1, beside what the kernel says of it. */
@GuestTest
final class JobHierarchyIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String PARAMETER = "/sys/module/magnet/parameters/job_hierarchy";

    private final Guest guest;

    JobHierarchyIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        if (KernelModule.isLoaded(guest)) {
            KernelModule.remove(guest);
        }
    }

    /** A controller that all kernels of the tests have, and never in the unified hierarchy. */
    @TestFactory
    Stream<DynamicTest> ofVersion1() {
        KernelModule.load(guest, "job_hierarchy=cpuacct");
        return KtapProgram.run(guest, "test-owners", LIMIT);
    }

    @Test
    void shouldWatchTheUnifiedHierarchyUnlessTold() {
        KernelModule.load(guest);

        assertThat(guest.sh("cat " + PARAMETER).stdout()).isEqualTo("unified\n");
    }

    @Test
    void shouldRefuseWhatIsNoController() {
        for (String wrong : new String[] {"nonsense", "cpu,cpuacct", "name=systemd", ""}) {
            GuestResult refused = guest.run(
                    "insmod", KernelModule.file(guest.options().kernel()).toString(), "job_hierarchy=" + wrong);

            assertThat(refused.exitCode()).as(wrong).isNotZero();
            assertThat(guest.sh("dmesg | grep 'magnet: job_hierarchy' | tail -n 1")
                            .stdout())
                    .contains("magnet: job_hierarchy=" + wrong + ": must be unified or one controller of this kernel");
            assertThat(KernelModule.isLoaded(guest)).as(wrong).isFalse();
        }
    }
}
