// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A guest whose clock counts instructions. */
@GuestTest(icount = true)
final class CountedGuestIT {
    /** With several, the clock would go on for each one while the others have their turn: waits would be no waits. */
    @Test
    void shouldHaveOneProcessor(Guest guest) {
        assertThat(guest.run("nproc").stdout()).isEqualTo("1\n");
    }
}
