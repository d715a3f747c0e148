// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What grows with the processors that a kernel has to reckon with: here more of them than the counters of a subscription
 * have room for in a page. Kernels that look for faults know 8.
 */
@GuestTest(smp = 2, possibleCpus = 200)
@Tag("stock")
@Tag("long")
final class ManyCpusIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int PAGE = 4096;
    /** As many as a socket may have, see {@code test-deletions}. */
    private static final int SUBSCRIPTIONS = 1024;
    /** How many processors' counters a message has room for, at most: each takes 128 bytes. */
    private static final int CPUS_OF_A_MESSAGE = PAGE / 128;

    /** All memory that is asked for in one piece while subscriptions are ended: what is larger than a page, and messages. */
    private static final String PROGRAM = """
            tracepoint:kmem:kmalloc /comm == "deleting" && args->bytes_alloc > 4096/ { @large[kstack(9)] = count(); }
            tracepoint:kmem:kmalloc /comm == "deleting" && args->bytes_alloc == 4096/ { @pages = count(); }
            kprobe:__vmalloc_node_range /comm == "deleting"/ { @scattered[kstack(9)] = count(); }
            """;

    private static final Pattern PAGES = Pattern.compile("@pages: (\\d+)");

    private final Guest guest;

    ManyCpusIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    /** So it works, too, when memory is short and in pieces. */
    @Test
    void shouldEndSubscriptionsWithoutMoreThanAPageInOnePiece() {
        KernelModule.load(guest);

        GuestResult result = guest.sh(
                LIMIT,
                "BPFTRACE_KERNEL_SOURCE= bpftrace -e '" + PROGRAM + "' -c $MAGNET_ROOT/build/tools/test-deletions");

        String said = result.orFail().stdout() + result.stderr();
        assertThat(said).contains("1 passed, 0 failed").doesNotContainPattern("(?i)lost|missed");
        assertThat(said).doesNotContain("@large", "@scattered");
        Matcher pages = PAGES.matcher(said);
        assertThat(pages.find()).as(said).isTrue();
        assertThat(Long.parseLong(pages.group(1)))
                .as("messages")
                .isGreaterThanOrEqualTo((long) SUBSCRIPTIONS * possibleCpus() / CPUS_OF_A_MESSAGE);
    }

    private int possibleCpus() {
        String possible = guest.read("/sys/devices/system/cpu/possible").strip();
        return Integer.parseInt(possible.substring(possible.indexOf('-') + 1)) + 1;
    }
}
