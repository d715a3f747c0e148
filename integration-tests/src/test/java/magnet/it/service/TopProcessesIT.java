// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What magnetd publishes of the processes that waited and switched most is the kernel's own account of them in {@code
 * /proc}. They begin after magnetd and stand still at the end, so that both have all of it. The guest's clock counts
 * instructions: who is among the first does not hang on the machine.
 */
@GuestTest(icount = true)
final class TopProcessesIT {
    /** What a thread waits for a CPU that another one has. */
    private static final long WAIT_NANOS = 2_000_000_000L;

    /** Questions, each of which has an answer: who asks waits for it. */
    private static final int QUESTIONS = 2_503;

    private static final double NANOS_PER_PERCENT = 1e7;
    /** Times of the kernel's scheduler and of its events are taken at slightly different places. */
    private static final Percentage SAME = Percentage.withPercentage(5);

    private static final String CONFIG =
            TeeingMagnetd.config("4M", "network", "journey", "interrupts", "block", "memory", "syscalls", "user");
    /**
     * Prints what the kernel says of each, by a name that says of whom. Those that stand still have sessions of their own:
     * the kernel would let them go on when the script ends.
     */
    private static final String WORK = """
            stands_still() { until grep -q '^State:.*T' /proc/$1/status; do sleep 0.1; done; }
            mkfifo /tmp/questions /tmp/answers
            setsid bash -c 'while read -r line; do echo "$line"; done' \
                </tmp/questions >/tmp/answers & answering=$!
            setsid bash -c 'for ((i = 0; i < %1$d; i++)); do echo $i; read -r line; done; kill -STOP $$' \
                >/tmp/questions </tmp/answers & asking=$!
            stands_still $asking
            setsid bash -c 'while :; do :; done' & running=$!
            setsid nice -n 19 bash -c 'while :; do :; done' & waiting=$!
            until read -r ran waited slices </proc/$waiting/schedstat; ((waited > %2$d)); do sleep 0.5; done
            kill -STOP $waiting $running
            stands_still $waiting
            echo waiting $waiting
            echo asking $asking
            echo answering $answering
            awk '{ print "waited", $2 }' /proc/$waiting/schedstat
            awk '/ctxt_switches/ { print "asked", $2 }' /proc/$asking/status
            awk '/ctxt_switches/ { print "answered", $2 }' /proc/$answering/status
            """;

    private static TeeWindow window = TeeWindow.EMPTY;
    private static Map<String, Long> said = Map.of();

    @BeforeAll
    static void runProcesses(Guest guest) {
        KernelModule.load(guest);
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            said = Counters.read(guest, WORK.formatted(QUESTIONS, WAIT_NANOS));
            window = TeeWindow.next(guest, magnetd.windows());
            magnetd.stop();
        }
        assertThat(window.fromByte()).as("the window still grew").isZero();
    }

    @Test
    void shouldLoseNothing() {
        assertThat(window.value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldHaveAmongTheFirstWhoWaits() {
        assertThat(top("wait", said("waiting")) * NANOS_PER_PERCENT).isCloseTo((double) said("waited"), SAME);
    }

    @Test
    void shouldHaveAmongTheFirstWhoSwitches() {
        assertThat(said("asked")).isGreaterThanOrEqualTo(QUESTIONS);
        assertThat(Math.round(top("switches", said("asking")))).isEqualTo(said("asked"));
        assertThat(Math.round(top("switches", said("answering")))).isEqualTo(said("answered"));
    }

    /** What is published of a process that has one of the first places, of the whole window. */
    private static double top(String order, long process) {
        String place = IntStream.rangeClosed(1, 3)
                .mapToObj(i -> "magnet_top_" + order + "_" + i)
                .filter(name -> window.text(name + "_process").endsWith(" " + process))
                .findFirst()
                .orElseThrow(() -> new AssertionError(process + " is not among the first by " + order + ": " + window));
        return window.value(place + "_value") * window.value("magnet_sensor_window_length");
    }

    private static long said(String name) {
        return said.getOrDefault(name, 0L);
    }
}
