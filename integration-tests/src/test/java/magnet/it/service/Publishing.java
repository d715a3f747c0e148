// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;

/**
 * A gmond and a service that publishes to it, for all tests of a class that only ask: in an emulated guest a start takes longer
 * than a test. Both end with the guest.
 */
record Publishing(Gmond gmond, Magnetd magnetd) {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** Starts both, and waits until gmond has a whole publication. */
    static Publishing start(Guest guest, String... arguments) {
        Gmond gmond = Gmond.start(guest);
        Magnetd magnetd = Magnetd.startAndAwait(guest, arguments);
        gmond.await("magnet_sensor_window_length", LIMIT);
        return new Publishing(gmond, magnetd);
    }

    /** Ends both; the service has had nothing to complain of. */
    void end() {
        try (gmond;
                magnetd) {
            assertThat(magnetd.stop().orFail().stderr())
                    .doesNotContain(" WARN ")
                    .doesNotContain(" ERROR ");
        }
    }
}
