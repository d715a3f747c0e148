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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Events of other modules, in both record layouts, also those that are lost; and in which order modules can be removed. */
@GuestTest
final class OwnEventsIT {
    private static final Duration LIMIT = Duration.ofMinutes(6);

    private final Guest guest;
    private final String sample;

    OwnEventsIT(Guest guest) {
        this.guest = guest;
        sample = KernelModule.sample(guest.options().kernel()).toString();
    }

    @AfterEach
    void remove() {
        guest.sh("for module in magnet_sample magnet_losses; do"
                        + " if [ -d /sys/module/$module ]; then rmmod $module || exit; fi; done; rmmod magnet")
                .orFail();
    }

    @TestFactory
    Stream<DynamicTest> wide() {
        KernelModule.load(guest);
        return program();
    }

    @TestFactory
    Stream<DynamicTest> classic() {
        KernelModule.load(guest, "layout=classic");
        return program();
    }

    @TestFactory
    Stream<DynamicTest> losses() {
        KernelModule.load(guest);
        return lossesProgram();
    }

    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> lossesInLayoutClassic() {
        KernelModule.load(guest, "layout=classic");
        return lossesProgram();
    }

    @Test
    void shouldRefuseRemovalOfTheSensorWhileAModuleUsesIt() {
        KernelModule.load(guest);
        guest.run("insmod", sample).orFail();

        GuestResult refused = guest.run("rmmod", "magnet");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.stderr()).contains("in use by: magnet_sample");
    }

    @Test
    void shouldLogFromAModuleToTheSmallestClient() {
        KernelModule.load(guest);
        guest.run("insmod", sample).orFail();

        String told = guest.sh("""
                        build/tools/magnet-read -p sample_tick > /tmp/own.out & reader=$!
                        until grep -q 'sample_tick=on' /sys/kernel/debug/magnet/control/events; do sleep 0.1; done
                        echo tick softirq 1009 > /sys/kernel/debug/magnet_sample/emit
                        kill -INT $reader
                        wait $reader
                        cat /tmp/own.out""").orFail().stdout();

        assertThat(told).contains("sample_tick hits 1009 committed 1009");
    }

    private Stream<DynamicTest> lossesProgram() {
        guest.run("insmod", KernelModule.losses(guest.options().kernel()).toString())
                .orFail();
        return KtapProgram.run(guest, "test-losses", LIMIT);
    }

    private Stream<DynamicTest> program() {
        return KtapProgram.runWith(guest, "MAGNET_SAMPLE=" + sample, "test-own-events", LIMIT);
    }
}
