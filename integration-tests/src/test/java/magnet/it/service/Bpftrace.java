// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import org.awaitility.Awaitility;

/** bpftrace, running a script of integration-tests/bpftrace in a guest. Closing it ends it. */
final class Bpftrace implements AutoCloseable {
    private static final String FOLDER = "integration-tests/bpftrace/";
    /** What a script prints now and then: its probes are attached, and what it printed before is whole. */
    private static final String THERE = "there\n";

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int MOST_TRIES = 5;

    private final Guest guest;
    private final GuestProcess process;
    private final Set<String> printed = new TreeSet<>();

    private Bpftrace(Guest guest, GuestProcess process) {
        this.guest = guest;
        this.process = process;
    }

    /**
     * Starts it and waits until its probes are attached. The kernel tells what its types are; without the variable
     * bpftrace looks for headers, of which a guest may have half.
     */
    static Bpftrace start(Guest guest, String script) {
        GuestProcess process = guest.start("env", "BPFTRACE_KERNEL_SOURCE=", "bpftrace", FOLDER + script);
        process.awaitOutput(THERE, LIMIT);
        return new Bpftrace(guest, process);
    }

    /**
     * What it has counted up to now. On a busy machine it has been seen to leave maps out that it had printed before; then it
     * is asked again.
     */
    BpftraceMaps maps() {
        for (int tries = 1; ; tries++) {
            BpftraceMaps maps = print();
            if (maps.lasting().containsAll(printed)) {
                printed.addAll(maps.lasting());
                return maps;
            }
            assertThat(tries)
                    .as("prints %s, and %s before: %s", maps.lasting(), printed, process.stderr())
                    .isLessThan(MOST_TRIES);
        }
    }

    /** Waiting for it costs the guest nothing: the host sees what is printed. */
    private BpftraceMaps print() {
        int before = process.stdout().length();
        process.signal("USR1");
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).untilAsserted(() -> {
            assertThat(process.isAlive()).as("ended: %s", process.stderr()).isTrue();
            String text = process.stdout().substring(before);
            assertThat(text.lastIndexOf(THERE))
                    .as("no maps, or not whole: %s", text)
                    .isGreaterThan(text.indexOf('@') < 0 ? Integer.MAX_VALUE : text.lastIndexOf('@'));
        });
        return BpftraceMaps.parse(process.stdout().substring(before));
    }

    @Override
    public void close() {
        process.signal("INT");
        process.waitFor(LIMIT);
    }
}
