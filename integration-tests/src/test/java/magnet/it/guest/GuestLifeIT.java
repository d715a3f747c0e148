// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How guests begin and end. */
@Tag("guest")
final class GuestLifeIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void shouldReportDeathAndConsoleWhenKernelPanics() {
        try (Guest guest = Guest.boot(GuestOptions.defaults())) {
            GuestProcess bystander = guest.start("sleep", "1000");

            assertThatThrownBy(() -> guest.sh("echo c >/proc/sysrq-trigger; sleep 1000"))
                    .isInstanceOf(GuestDiedException.class)
                    .hasMessageContaining("sysrq triggered crash")
                    .hasMessageContaining(guest.console().toString());
            assertThatThrownBy(() -> bystander.waitFor(LIMIT)).isInstanceOf(GuestDiedException.class);
            assertThatThrownBy(() -> guest.run("true")).isInstanceOf(GuestDiedException.class);
            assertThat(guest.isAlive()).isFalse();
        }
    }

    @Test
    void shouldKeepTwoGuestsApart() {
        try (Guest other = Guest.boot(GuestOptions.defaults().withSmp(2))) {
            try (Guest one = Guest.boot(GuestOptions.defaults().withSmp(1))) {
                one.sh("echo one >/tmp/name").orFail();
                other.sh("echo other >/tmp/name").orFail();

                assertThat(one.read("/tmp/name")).isEqualTo("one\n");
                assertThat(other.read("/tmp/name")).isEqualTo("other\n");
                assertThat(one.run("nproc").stdout()).isEqualTo("1\n");
                assertThat(other.run("nproc").stdout()).isEqualTo("2\n");
            }
            assertThat(other.run("true").exitCode()).isZero();
        }
    }

    @Test
    void shouldSayWhyWhenGuestCannotBeStarted() {
        GuestOptions options = GuestOptions.defaults().withKernel("0.99");

        assertThatThrownBy(() -> Guest.boot(options))
                .isInstanceOf(GuestException.class)
                .hasMessageContaining("no kernel is known by the name 0.99");
    }
}
