// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What magnetd publishes of markers is what the program that writes them knows: how many there are, and by its own clock,
 * read before and after each, the shortest and the longest that each interval may have been.
 */
@GuestTest(smp = 1)
final class MarkerIntervalsIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int MARKERS = 307;
    private static final double NANOS_PER_MICRO = 1e3;
    /** Percentiles have two significant digits; the guest's two clocks may run differently, by far less than that. */
    private static final double TWO_DIGITS = 0.01;

    private static final String CONFIG = TeeingMagnetd.config(
            "256K", "network", "journey", "scheduler", "interrupts", "block", "memory", "syscalls", "processes");
    /** Those of three numbers in turns, and some without a number; prints number, before, after. */
    private static final String WRITE = """
            import os, time
            marker = os.open("/dev/magnet/marker", os.O_WRONLY)
            for i in range(%d):
                number = i %% 4
                text = b"%%d request %%d" %% (number, i) if number else b"none"
                before = time.monotonic_ns()
                os.write(marker, text)
                print(number, before, time.monotonic_ns())
                time.sleep(i %% 7 * i %% 11 / 1000)
            """;

    private static Growth growth = new Growth(TeeWindow.EMPTY, TeeWindow.EMPTY);
    /** Of each interval, shortest first; the same of the longest. */
    private static List<Long> shortest = List.of();

    private static List<Long> longest = List.of();

    /** When a marker was written. */
    private record Written(long before, long after) {}

    @BeforeAll
    static void writeMarkers(Guest guest) {
        KernelModule.load(guest);
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            TeeWindow from = TeeWindow.next(guest, magnetd.windows());
            String told = guest.run(LIMIT, "python3", "-c", WRITE.formatted(MARKERS))
                    .orFail()
                    .stdout();
            growth = new Growth(from, TeeWindow.next(guest, magnetd.windows()));
            magnetd.stop();
            measure(told);
        }
        assertThat(growth.to().fromByte()).as("the window still grew").isZero();
    }

    /** From each marker to the next of the same number; number 0 is none. */
    private static void measure(String told) {
        Map<Long, Written> last = new HashMap<>();
        List<Long> least = new ArrayList<>();
        List<Long> most = new ArrayList<>();
        told.lines().forEach(line -> {
            String[] words = line.split(" ", -1);
            long number = Long.parseLong(words[0]);
            Written written = new Written(Long.parseLong(words[1]), Long.parseLong(words[2]));
            Written before = last.put(number, written);
            if (before != null && number != 0) {
                least.add(written.before - before.after);
                most.add(written.after - before.before);
            }
        });
        shortest = least.stream().sorted().toList();
        longest = most.stream().sorted().toList();
    }

    @Test
    void shouldLoseNothing() {
        assertThat(growth.to().value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldCountMarkers() {
        assertThat(growth.count("magnet_user_markers_rate")).isEqualTo(MARKERS);
    }

    @ParameterizedTest
    @CsvSource({"p50, 0.5", "p99, 0.99", "max, 1"})
    void shouldMeasureIntervalsAsTheProgramDoes(String statistic, double share) {
        int place = (int) Math.ceil(share * shortest.size()) - 1;

        assertThat(growth.max("magnet_user_marker_interval_" + statistic))
                .isBetween(
                        shortest.get(place) / NANOS_PER_MICRO * (1 - TWO_DIGITS),
                        longest.get(place) / NANOS_PER_MICRO * (1 + TWO_DIGITS));
    }
}
