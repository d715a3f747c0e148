// SPDX-License-Identifier: Apache-2.0
package magnet.it.ganglia;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;

/** Debian's gmond, running in a guest. Closing it kills it. */
public final class Gmond implements AutoCloseable {
    /** Where gmond, gmetric and magnetd look for gmond's configuration. */
    public static final String CONFIG = "/etc/ganglia/gmond.conf";

    private static final String ON_LOOPBACK = "integration-tests/ganglia/gmond.conf";
    private static final int PORT = 8649;

    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Guest guest;
    private final int port;
    private final GuestProcess process;

    private Gmond(Guest guest, int port, GuestProcess process) {
        this.guest = guest;
        this.port = port;
        this.process = process;
    }

    /** Starts one that hears loopback only, by integration-tests/ganglia/gmond.conf, and waits until it answers. */
    public static Gmond start(Guest guest) {
        guest.run("install", "-D", ON_LOOPBACK, CONFIG).orFail();
        return start(guest, CONFIG, PORT);
    }

    /**
     * Starts one and waits until it answers.
     *
     * @param config the guest's file that it is configured by
     * @param port TCP port on 127.0.0.1 that this file lets it answer on
     */
    public static Gmond start(Guest guest, String config, int port) {
        Gmond gmond = new Gmond(guest, port, guest.start("gmond", "-f", "-c", config));
        guest.sh(START_LIMIT, "until (" + gmond.ask() + ") >/dev/null 2>&1; do sleep 0.1; done")
                .orFail();
        return gmond;
    }

    /** Everything it says, through bash's own TCP client. */
    private String ask() {
        return "cat < /dev/tcp/127.0.0.1/" + port;
    }

    /** What it tells now. */
    public GmondXml xml() {
        GuestResult answer = guest.sh(ask()).orFail();
        return GmondXml.parse(answer.stdout());
    }

    /** Waits until it has a metric, which depends on how fast the service starts here. */
    public void await(String metric, Duration limit) {
        guest.sh(limit, "until (" + ask() + ") 2>/dev/null | grep -q 'NAME=\"" + metric + "\"'; do sleep 0.2; done")
                .orFail();
    }

    /** What it has complained of. */
    public String log() {
        return process.stderr();
    }

    /** Lets it stand still, as a machine that swaps would. */
    public void pause() {
        process.signal("STOP");
    }

    /** Lets it go on. */
    public void proceed() {
        process.signal("CONT");
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
