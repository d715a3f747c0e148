// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.time.Duration;
import java.util.List;
import magnet.it.guest.Guest;

/** A gmond.conf for tests that need one, but no gmond. */
final class GmondConf {
    static final String FILE = "/tmp/gmond.conf";
    /** A magnet.conf that names it. */
    static final String CONFIG = "[ganglia]\ngmond-conf = " + FILE + "\n";

    private static final String GOOD = "udp_send_channel {\n  host = 127.0.0.1\n  port = 8649\n}\n";

    private GmondConf() {}

    /** A good one, with nobody at the other end of its channel. */
    static void install(Guest guest) {
        install(guest, GOOD);
    }

    static void install(Guest guest, String text) {
        guest.start(text, List.of("install", "-m", "644", "/dev/stdin", FILE))
                .waitFor(Duration.ofMinutes(1))
                .orFail();
    }
}
