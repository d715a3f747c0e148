// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** That each call is made exactly as often as it was asked for is seen on a real kernel. */
final class CheapCallTest {
    @Test
    void shouldBeNamedAsTheSystemCall() {
        assertThat(CheapCall.values()).extracting(CheapCall::toString).containsExactly("setitimer", "getppid");
    }

    @Test
    void shouldMakeCallsThatSucceed() {
        for (CheapCall call : CheapCall.values()) {
            call.repeat(1_000);
        }
        assertThat(Libc.getppid())
                .isEqualTo((int) ProcessHandle.current().parent().orElseThrow().pid());
        NativeBuffer timer = NativeBuffer.allocate(32);
        assertThat(Libc.setitimer(1, timer.address(0, 32), 0)).isZero();
    }
}
