// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What magnetd publishes of interrupt handlers is what bpftrace finds out by the same tracepoints. The guest's one
 * processor counts instructions, so that what lies between two probes of one event is the same on any host.
 */
@GuestTest(icount = true)
final class InterruptAgreementIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    /** Each fills the console's buffer, which one run of its handler empties, or two. */
    private static final int LINES = 23;

    private static final int DATAGRAMS = 17;
    /** Each of them gets each of the datagrams, in one run of the handler of NET_RX. */
    private static final int RECEIVERS = 3_000;

    /** Kinds of soft interrupts by the kernel's numbers, as /proc/softirqs has them. */
    private static final List<String> KINDS =
            List.of("hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu");

    /** Shorter than what the work causes, longer than other handlers. */
    private static final double LONG_HARD_MICROS = 50;

    private static final double LONG_SOFT_MICROS = 1_000;
    /** Most of the time is that of long handlers, of which the probes are a small part. */
    private static final double NEARLY = 0.1;

    private static final double NANOS_PER_MICRO = 1e3;

    private static final String CONFIG = TeeingMagnetd.config(
            "4M", "network", "journey", "scheduler", "block", "memory", "syscalls", "processes", "user");
    private static final String WORK = """
            for ((i = 0; i < %d; i++)); do printf '%%4000s\n' ''; done >/dev/ttyS0
            ulimit -n 8192
            python3 -c '
            import socket
            def datagrams(option):
                made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                made.setsockopt(socket.SOL_SOCKET, option, 1)
                return made
            receivers = [datagrams(socket.SO_REUSEADDR) for i in range(%d)]
            for receiver in receivers:
                receiver.bind(("", 7000))
            for i in range(%d):
                datagrams(socket.SO_BROADCAST).sendto(b"magnet", ("127.255.255.255", 7000))
            '
            """;

    private static Optional<Witnessed> interrupts = Optional.empty();

    @BeforeAll
    static void interruptBeforeWitness(Guest guest) {
        KernelModule.load(guest);
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            interrupts = Optional.of(Witnessed.by(
                    guest,
                    "interrupts.bt",
                    magnetd.windows(),
                    () -> guest.sh(LIMIT, WORK.formatted(LINES, RECEIVERS, DATAGRAMS))
                            .orFail()));
            magnetd.stop();
        }
    }

    @Test
    void shouldLoseNothing() {
        assertThat(interrupts().growth().to().value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldMeasureHardInterruptsAsBpftraceDoes() {
        assertThat(interrupts().inner("hard_runs")).as("the console's").isGreaterThanOrEqualTo(LINES);
        interrupts().assertCount("magnet_irq_hard_handlers_rate", "hard_runs");
        interrupts().assertTimes("magnet_irq_hard_handler_bucket", "hard");
        interrupts().assertLongest("magnet_irq_hard_handler_max", "hard_max", LONG_HARD_MICROS);
        assertTime("magnet_irq_hard_time_percent", "hard_time");
    }

    @Test
    void shouldMeasureSoftInterruptsAsBpftraceDoes() {
        interrupts().assertCount("magnet_irq_soft_handlers_rate", "soft_runs");
        interrupts().assertTimes("magnet_irq_soft_handler_bucket", "soft");
        interrupts().assertLongest("magnet_irq_soft_handler_max", "soft_max", LONG_SOFT_MICROS);
        assertTime("magnet_irq_soft_time_percent", "soft_time");
    }

    @Test
    void shouldTellKindsOfSoftInterruptsApartAsBpftraceDoes() {
        for (String kind : KINDS) {
            interrupts().assertCount("magnet_irq_soft_" + kind + "_rate", of("kind_runs", kind));
        }
        assertThat(interrupts().inner(of("kind_runs", "net_rx"))).isGreaterThanOrEqualTo(DATAGRAMS);
        interrupts().assertLongest("magnet_irq_soft_net_rx_handler_max", of("kind_max", "net_rx"), LONG_SOFT_MICROS);
    }

    private static void assertTime(String percent, String map) {
        assertThat(interrupts().growth().micros(percent))
                .as("%s and @%s", percent, map)
                .isBetween(
                        (1 - NEARLY) * interrupts().inner(map) / NANOS_PER_MICRO,
                        (1 + NEARLY) * interrupts().outer(map) / NANOS_PER_MICRO);
    }

    private static String of(String map, String kind) {
        return map + "[" + KINDS.indexOf(kind) + "]";
    }

    private static Witnessed interrupts() {
        return interrupts.orElseThrow();
    }
}
