// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import magnet.it.guest.Guest;
import org.assertj.core.data.Offset;

/**
 * Some work, seen by magnetd and by bpftrace. The witness is asked on both sides of the publication before the work and
 * of the one after it: what the two publications differ by lies between what it counted from inner and from outer side
 * to the other.
 */
record Witnessed(Growth growth, List<BpftraceMaps> maps) {
    /** Microseconds between two probes of one event, each of which takes one or two. */
    static final Offset<Double> PROBES = Offset.offset(20.0);

    /** Microseconds; what the probes themselves take is no small part of shorter times. */
    private static final long SHORTEST_BOUND = 16;

    private static final double NANOS_PER_MICRO = 1e3;

    /**
     * Runs the work while bpftrace runs this script.
     *
     * @param windows magnetd's windows.jsonl, as the host sees it
     */
    static Witnessed by(Guest guest, String script, Path windows, Runnable work) {
        try (Bpftrace witness = Bpftrace.start(guest, script)) {
            BpftraceMaps outerBefore = witness.maps();
            TeeWindow from = TeeWindow.next(guest, windows);
            BpftraceMaps innerBefore = witness.maps();
            work.run();
            BpftraceMaps innerAfter = witness.maps();
            TeeWindow to = TeeWindow.next(guest, windows);
            BpftraceMaps outerAfter = witness.maps();
            assertThat(to.fromByte()).as("the window still grew").isZero();
            return new Witnessed(new Growth(from, to), List.of(outerBefore, innerBefore, innerAfter, outerAfter));
        }
    }

    /** The same events were counted. */
    void assertCount(String rate, String map) {
        assertThat(growth.count(rate)).as("%s and @%s", rate, map).isBetween(inner(map), outer(map));
    }

    /** How often the work itself, and what the machine did meanwhile, caused it. */
    long inner(String map) {
        return maps.get(2).number(map) - maps.get(1).number(map);
    }

    /** The same with what was done while both were asked. */
    long outer(String map) {
        return maps.get(3).number(map) - maps.get(0).number(map);
    }

    /** How many times of a histogram the work itself caused. */
    long innerAll(String histogram) {
        return sum(1, 2, 0, histogram);
    }

    /** All were measured, and each at most by factor two differently: both ends are seen at slightly different times. */
    void assertTimes(String buckets, String... histograms) {
        assertThat(growth.atLeast(buckets, 0))
                .as("%s*, all", buckets)
                .isBetween(sum(1, 2, 0, histograms), sum(0, 3, 0, histograms));
        for (long bound : growth.begins(buckets)) {
            if (bound >= SHORTEST_BOUND) {
                assertThat(growth.atLeast(buckets, bound))
                        .as("%s* from %d us", buckets, bound)
                        .isBetween(sum(1, 2, 2 * bound, histograms), sum(0, 3, bound / 2, histograms));
            }
        }
    }

    /** The longest since both began. */
    void assertMax(String metric, String map) {
        assertThat(growth.max(metric)).as("%s and @%s", metric, map).isCloseTo(maxMicros(map), PROBES);
    }

    /**
     * As {@link #assertMax}.
     *
     * @param micros what lasts longer is the work's
     */
    void assertLongest(String metric, String map, double micros) {
        assertMax(metric, map);
        assertThat(growth.max(metric)).as("%s, the work's", metric).isGreaterThan(micros);
    }

    /** The longest that bpftrace saw. */
    double maxMicros(String map) {
        return maps.get(3).number(map) / NANOS_PER_MICRO;
    }

    private long sum(int before, int after, long bound, String... histograms) {
        long sum = 0;
        for (String histogram : histograms) {
            sum += maps.get(after).atLeast(histogram, bound) - maps.get(before).atLeast(histogram, bound);
        }
        return sum;
    }
}
