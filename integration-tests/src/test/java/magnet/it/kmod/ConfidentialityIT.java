// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A kernel that is locked down for confidentiality keeps its memory from root, too: from tracefs and from magnet alike.
 * It is locked down after the module was loaded, for it takes no unsigned one then, and there is no way back: the order
 * of the tests matters.
 */
@GuestTest(turns = true)
@Tag("stock")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ConfidentialityIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String LOCKDOWN = "/sys/kernel/security/lockdown";
    private static final String REFUSED = "the kernel is locked down (confidentiality): ";

    private final Guest guest;
    private final String function;
    /** Each shows memory or registers. */
    private final List<String> showing;

    ConfidentialityIT(Guest guest) {
        this.guest = guest;
        this.function = KernelFunctions.ofSystemCall(guest, "sched_get_priority_max");
        this.showing = List.of("p:" + function + " +0(%sp)", "f:" + function + " $arg1", "r:" + function + " $retval");
    }

    @Test
    @Order(0)
    void shouldShowMemoryWhenLockedDownForIntegrity() {
        KernelModule.load(guest);
        guest.sh("echo integrity >" + LOCKDOWN).orFail();

        showing.forEach(definition -> read("-i", definition).orFail());
    }

    @Test
    @Order(1)
    void shouldCountWhenLockedDownForIntegrity() {
        count().orFail();
    }

    @Test
    @Order(2)
    void shouldShowNoMemoryWhereTracefsDoesNot() {
        guest.sh("echo confidentiality >" + LOCKDOWN).orFail();

        GuestResult tracefs = guest.sh("echo 'p:x " + function + "' >/sys/kernel/tracing/kprobe_events");

        assertThat(tracefs.exitCode()).isNotZero();
        assertThat(tracefs.stderr()).contains("Operation not permitted");
        assertThat(showing).allSatisfy(definition -> {
            GuestResult refused = read("-i", definition);
            assertThat(refused.exitCode()).isNotZero();
            assertThat(refused.stderr()).contains(REFUSED + "no point may show its registers or memory");
        });
        assertThat(guest.sh("dmesg").stdout()).contains("Lockdown: magnet-read: use of kprobes is restricted");
    }

    @Test
    @Order(3)
    void shouldNotCountWhenLockedDownForConfidentiality() {
        assertThat(count().stderr()).contains(REFUSED + "no counters");
    }

    @Test
    @Order(4)
    void shouldLogAllElse() {
        read("-i", "p:" + function).orFail();
        read("-i", "r:" + function).orFail();
        read("-p", "udp_sendmsg").orFail();
        KernelModule.remove(guest);
    }

    private GuestResult count() {
        return guest.run(LIMIT, "sensor-java/bin/magnet", "read", "-p", "marker", "--counters", "cpu_clock", "-d", "1");
    }

    private GuestResult read(String... what) {
        return guest.run(LIMIT, command(what));
    }

    private static String[] command(String... what) {
        String[] all = new String[what.length + 3];
        all[0] = "build/tools/magnet-read";
        System.arraycopy(what, 0, all, 1, what.length);
        all[all.length - 2] = "-d";
        all[all.length - 1] = "1";
        return all;
    }
}
