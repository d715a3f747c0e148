// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import magnet.agent.AgentHealth;
import magnet.os.MonotonicClock;
import magnet.os.NotifySocket;
import magnet.os.OsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whoever started this service how it is: systemd's protocol, see sd_notify(3). Where nobody asked for it, by
 * NOTIFY_SOCKET in the environment, nothing is done.
 *
 * <p>The watchdog is not fed by a timer of its own but by {@link #alive}, which the thread calls that does the work: when
 * it stands still, so does the watchdog; and so it does when another agent that must be alive has ended or hangs.
 * Thread-safe; nothing here waits.
 */
final class ServiceManager {
    private static final Logger LOGGER = LoggerFactory.getLogger(ServiceManager.class);
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String WATCHDOG_MICROS = "WATCHDOG_USEC";
    private static final String WATCHDOG_PROCESS = "WATCHDOG_PID";

    private final @Nullable NotifySocket socket;
    private final MonotonicClock clock;
    private final AgentHealth health;
    /** Half the time after which the service is taken for dead; 0 if nobody watches. */
    private final long aliveNanos;

    private boolean beginning = true;
    private boolean stopping;
    private boolean complained;
    private boolean saidMissed;
    private boolean everAlive;
    private long lastAlive;

    private ServiceManager(@Nullable NotifySocket socket, long aliveNanos, MonotonicClock clock) {
        this.socket = socket;
        this.aliveNanos = aliveNanos;
        this.clock = clock;
        this.health = new AgentHealth(clock::nanos);
    }

    /** For nobody. */
    static ServiceManager none(MonotonicClock clock) {
        return new ServiceManager(null, 0, clock);
    }

    /**
     * The one that this environment tells of. One that cannot be told anything is one line in the log.
     *
     * @param pid this process's: the watchdog may be meant for another
     */
    static ServiceManager of(Map<String, String> environment, long pid, MonotonicClock clock) {
        String where = environment.getOrDefault(SOCKET, "");
        if (where.isEmpty()) {
            return none(clock);
        }
        try {
            return new ServiceManager(NotifySocket.open(where), watchdogNanos(environment, pid) / 2, clock);
        } catch (OsException e) {
            LOGGER.warn(
                    "{} in the environment cannot be used, so nobody is told how magnetd is: {}",
                    SOCKET,
                    e.getMessage());
            return none(clock);
        }
    }

    private static long watchdogNanos(Map<String, String> environment, long pid) {
        String micros = environment.getOrDefault(WATCHDOG_MICROS, "");
        String process = environment.getOrDefault(WATCHDOG_PROCESS, "");
        if (micros.isEmpty() || !(process.isEmpty() || process.equals(String.valueOf(pid)))) {
            return 0;
        }
        try {
            return TimeUnit.MICROSECONDS.toNanos(Math.max(0, Long.parseLong(micros)));
        } catch (NumberFormatException e) {
            LOGGER.warn("{} in the environment is no number, so there is no watchdog: {}", WATCHDOG_MICROS, micros);
            return 0;
        }
    }

    /** Where agents are told of that must be alive. */
    AgentHealth health() {
        return health;
    }

    /** The service does what it is there for; also the end of a reload that began it anew. */
    synchronized void ready(String status) {
        beginning = false;
        send("READY=1\nSTATUS=" + oneLine(status));
    }

    /** It ended what it did in order to begin anew: it is not ready before it says so. */
    synchronized void beginningAnew() {
        beginning = true;
    }

    /** It reads its configuration again. */
    synchronized void reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(clock.nanos()));
    }

    /** It has; unless it begins anew because of it, that was all. */
    synchronized void reloaded() {
        if (!beginning) {
            send("READY=1");
        }
    }

    /** It comes to its end. What it says later is not told. */
    synchronized void stopping() {
        send("STOPPING=1\nSTATUS=ending");
        stopping = true;
    }

    /** How it is, in one line. */
    synchronized void status(String status) {
        send("STATUS=" + oneLine(status + trouble()));
    }

    /** Progress was made. To be called often: the watchdog is told when half of its time is over. */
    synchronized void alive() {
        if (aliveNanos == 0) {
            return;
        }
        long now = clock.nanos();
        if (!everAlive || now - lastAlive >= aliveNanos) {
            everAlive = true;
            lastAlive = now;
            tellWatchdog();
        }
    }

    private void tellWatchdog() {
        String complaint = health.complaint().orElse(null);
        if (complaint == null) {
            saidMissed = false;
            send("WATCHDOG=1");
        } else if (!saidMissed) {
            saidMissed = true;
            LOGGER.error("{}; the watchdog is not told any more that all is well", complaint);
        }
    }

    /** The end of a status line; empty while no agent failed. */
    private String trouble() {
        long failures = health.failures();
        return (failures == 0 ? "" : "; " + failures + (failures == 1 ? " failure" : " failures") + " of threads")
                + health.complaint().map(complaint -> "; " + complaint).orElse("");
    }

    /** The longest that whoever makes progress may sleep before it says so again, in milliseconds. */
    synchronized int longestSleepMillis() {
        if (aliveNanos == 0) {
            return Integer.MAX_VALUE;
        }
        long left = everAlive ? lastAlive + aliveNanos - clock.nanos() : 0;
        // Rounded up: it is due when the sleep is over.
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, TimeUnit.NANOSECONDS.toMillis(left + 999_999)));
    }

    private void send(String message) {
        if (socket == null || stopping) {
            return;
        }
        try {
            socket.send(message);
        } catch (OsException e) {
            if (!complained) {
                complained = true;
                LOGGER.warn("cannot tell the service manager how magnetd is (said once): {}", e.getMessage());
            }
        }
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ');
    }
}
