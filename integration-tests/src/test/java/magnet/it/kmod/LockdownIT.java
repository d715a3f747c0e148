// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;

/** The kernel is locked down after the module was loaded: there is no way back, so the order of the tests matters. */
@GuestTest
@Tag("stock")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class LockdownIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String LOCKDOWN = "/sys/kernel/security/lockdown";

    private final Guest guest;

    LockdownIT(Guest guest) {
        this.guest = guest;
    }

    @Test
    @Order(0)
    void shouldBeLockedDownWithTheModuleLoaded() {
        KernelModule.load(guest);

        guest.sh("echo integrity >" + LOCKDOWN).orFail();

        assertThat(guest.read(LOCKDOWN)).contains("[integrity]");
        assertThat(guest.sh("echo 1 >/sys/kernel/debug/kprobes/enabled").exitCode())
                .as("debugfs files that can be written are off limits")
                .isNotZero();
    }

    /** Each of these tests fails if it cannot open the files, those in debugfs included. */
    @TestFactory
    @Order(1)
    Stream<DynamicTest> reading() {
        return KtapProgram.run(guest, "test-reading", LIMIT);
    }

    @TestFactory
    @Order(2)
    Stream<DynamicTest> attributes() {
        return KtapProgram.run(guest, "test-attributes", LIMIT);
    }

    @TestFactory
    @Order(3)
    Stream<DynamicTest> control() {
        return KtapProgram.run(guest, "test-control", LIMIT);
    }

    @Test
    @Order(4)
    void shouldTakeMarkersByTheNodeOnly() {
        GuestResult marked = guest.sh("""
                build/tools/magnet-read -p marker & reader=$!
                until grep -q 'marker.*=on' /sys/kernel/debug/magnet/control/events; do sleep 0.1; done
                echo 7 >/sys/kernel/debug/magnet/marker && echo debugfs took it
                for i in 1 2 3; do echo $i >/dev/magnet/marker; done
                kill -INT $reader; wait $reader
                """).orFail();

        assertThat(marked.stdout()).contains("marker hits 3 committed 3").doesNotContain("debugfs took it");
        assertThat(marked.stderr()).contains("/sys/kernel/debug/magnet/marker: Operation not permitted");
    }

    @Test
    @Order(5)
    void shouldBeRemovedAndNotComeBack() {
        KernelModule.remove(guest);

        GuestResult refused =
                guest.run("insmod", KernelModule.file(guest.options().kernel()).toString());

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("Operation not permitted");
    }
}
