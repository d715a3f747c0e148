// SPDX-License-Identifier: Apache-2.0
package magnet.it.ganglia;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;

/**
 * Debian's gmond, running in a guest on loopback with integration-tests/ganglia/gmond.conf as its
 * /etc/ganglia/gmond.conf, where magnetd looks for it too.
 */
public final class Gmond implements AutoCloseable {
    private static final String CONFIG = "integration-tests/ganglia/gmond.conf";

    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    /** Everything it says, through bash's own TCP client. */
    private static final String ASK = "cat < /dev/tcp/127.0.0.1/8649";

    private final Guest guest;
    private final GuestProcess process;

    private Gmond(Guest guest, GuestProcess process) {
        this.guest = guest;
        this.process = process;
    }

    /** Starts it and waits until it answers. */
    public static Gmond start(Guest guest) {
        guest.run("install", "-D", CONFIG, "/etc/ganglia/gmond.conf").orFail();
        Gmond gmond = new Gmond(guest, guest.start("gmond", "-f"));
        guest.sh(START_LIMIT, "until (" + ASK + ") >/dev/null 2>&1; do sleep 0.1; done")
                .orFail();
        return gmond;
    }

    /** What it tells now. */
    public GmondXml xml() {
        GuestResult answer = guest.sh(ASK).orFail();
        return GmondXml.parse(answer.stdout());
    }

    /** Waits until it has a metric, which depends on how fast the service starts here. */
    public void await(String metric, Duration limit) {
        guest.sh(limit, "until (" + ASK + ") 2>/dev/null | grep -q 'NAME=\"" + metric + "\"'; do sleep 0.2; done")
                .orFail();
    }

    /** Ends it as a crash would. */
    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.kill();
    }
}
