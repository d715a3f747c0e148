// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What lasts less than 10 ms: a disk is given many requests at once, between two looks at {@code /proc} that are 10 ms
 * apart. No look sees any of it; what magnet publishes has its depth to the last request, and its time. The guest's clock
 * counts instructions: how long the burst is does not hang on the machine.
 */
@GuestTest(icount = true)
final class BurstIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int REQUESTS = 32;
    /** How long the device takes for each request. */
    private static final int DEVICE_MICROS = 4_000;
    /** How far apart the looks are. */
    private static final int LOOK_MICROS = 10_000;

    private static final int ATTEMPTS = 40;
    private static final int LOOKS = 20;
    private static final double NEARLY = 0.1;
    private static final String DEPTH = "magnet_block_depth_max";
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final Pattern BURST = Pattern.compile("took (\\d+) given (\\d+) seen (\\d+)");
    private static final String CONFIG = """
            [publish]
            interval = 1s
            window = 20s
            [metrics]
            level = full
            network = off
            journey = off
            scheduler = off
            interrupts = off
            memory = off
            syscalls = off
            processes = off
            user = off
            """;

    private static GmondXml published = GmondXml.parse("<GANGLIA_XML/>");
    private static Burst burst = new Burst(LOOK_MICROS, 0, 0);

    /**
     * What the workload tells of a burst.
     *
     * @param micros from the first request being given to the end of the last
     * @param givenMicros until the last was given
     * @param seen the most requests under way that a look at {@code /proc/diskstats} saw
     */
    private record Burst(int micros, int givenMicros, int seen) {
        /** It began and ended between two looks, and no request was done before the last was given. */
        boolean isShort() {
            return micros < LOOK_MICROS && givenMicros < DEVICE_MICROS;
        }
    }

    @BeforeAll
    static void runOneBurst(Guest guest) {
        KernelModule.load(guest);
        SlowDisk.make(guest, "nullb0", DEVICE_MICROS);
        Magnetd.configure(guest, CONFIG);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            gmond.await(DEPTH, LIMIT);
            // What else the guest does may come in between: that one is no burst.
            for (int attempt = 0; attempt < ATTEMPTS && !burst.isShort(); attempt++) {
                awaitDepth(gmond, guest, false);
                burst = burst(guest);
                awaitDepth(gmond, guest, true);
                Counters.awaitTwoPublications(gmond, guest);
                published = onePublication(gmond, guest);
            }
            magnetd.stop().orFail();
        }
    }

    /**
     * While the window still grows, a look in the middle of a publication sees the rate of one window and the length of another.
     * Gives the last look where none was right.
     */
    private static GmondXml onePublication(Gmond gmond, Guest guest) {
        GmondXml last = gmond.xml();
        for (int look = 0; look < LOOKS && Math.abs(reads(last) - REQUESTS) > NEARLY; look++) {
            guest.run("sleep", "0.2").orFail();
            last = gmond.xml();
        }
        return last;
    }

    /** How many reads a window had. */
    private static double reads(GmondXml xml) {
        return number(xml, "magnet_block_reads_rate") * number(xml, WINDOW);
    }

    private static Burst burst(Guest guest) {
        String told = guest.run(LIMIT, "build/tools/disk_burst", "/dev/nullb0", "nullb0", "" + REQUESTS)
                .orFail()
                .stdout();
        Matcher matcher = BURST.matcher(told);
        assertThat(matcher.find()).as(told).isTrue();
        return new Burst(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** The window has a burst, or none any more. */
    private static void awaitDepth(Gmond gmond, Guest guest, boolean wanted) {
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(() -> Optional.of(gmond.xml())
                        .flatMap(xml -> xml.metric(DEPTH))
                        .map(GmondMetric::number)
                        .filter(depth -> depth > 0 == wanted)
                        .isPresent());
    }

    @Test
    void shouldNotBeSeenByLooksThatAre10MillisecondsApart() {
        assertThat(burst.isShort()).as("%s", burst).isTrue();
        assertThat(burst.seen()).isZero();
    }

    @Test
    void shouldBePublishedWithItsDepth() {
        assertThat(number(DEPTH)).isEqualTo(REQUESTS);
        assertThat(reads(published)).isCloseTo((double) REQUESTS, within(NEARLY));
    }

    @Test
    void shouldBePublishedWithItsTime() {
        assertThat(number("magnet_block_read_max")).isBetween((double) DEVICE_MICROS, (double) burst.micros());
        assertThat(number("magnet_block_read_p50")).isBetween((double) DEVICE_MICROS, (double) burst.micros());
        assertThat(number("magnet_sensor_lost_rate")).isZero();
    }

    private static double number(String metric) {
        return number(published, metric);
    }

    private static double number(GmondXml xml, String metric) {
        return xml.metric(metric).orElseThrow().number();
    }
}
