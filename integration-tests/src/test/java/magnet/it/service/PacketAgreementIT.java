// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * When packets come, and how long they take from layer to layer: what magnetd publishes is what bpftrace finds out at the
 * same functions. The guest's one processor counts instructions, so that what lies between two probes of one event is the
 * same on any host.
 */
@GuestTest(icount = true)
final class PacketAgreementIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int DATAGRAMS = 307;
    private static final int MESSAGES = 101;
    /** There and back, over IPv4 and IPv6. */
    private static final int SEGMENTS = 4 * MESSAGES;
    /** How long a send stands still. */
    private static final int STALL_MICROS = 300_000;
    /** What came in meanwhile did so a little later. */
    private static final double WAIT_MICROS = STALL_MICROS / 3.0;

    private static final double PAUSE_MICROS = 1_000_000;

    /** What magnetd itself sends goes where nobody is: nothing comes in but what the work sends. */
    private static final String NOWHERE = """
            udp_send_channel {
              host = 10.9.0.2
              port = 8649
            }
            """;

    private static final String LINK = """
            ip link add mg0 type dummy
            ip address add 10.9.0.1/24 dev mg0
            ip link set mg0 up
            """;
    private static final String CONFIG = GmondConf.CONFIG
            + TeeingMagnetd.config("4M", "scheduler", "interrupts", "block", "memory", "syscalls", "processes", "user");
    private static final String WORK = """
            build/tools/udp_mix %1$d 9
            integration-tests/workload/stalled_sends.py /dev/nullb0 %2$d
            build/tools/udp_mix %1$d 9
            """;

    private static Optional<Witnessed> packets = Optional.empty();

    @BeforeAll
    static void sendBeforeWitness(Guest guest) {
        KernelModule.load(guest);
        SlowDisk.make(guest, "nullb0", STALL_MICROS);
        guest.sh(LIMIT, LINK).orFail();
        GmondConf.install(guest, NOWHERE);
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            packets = Optional.of(Witnessed.by(
                    guest,
                    "packets.bt",
                    magnetd.windows(),
                    () -> guest.sh(LIMIT, WORK.formatted(DATAGRAMS, MESSAGES)).orFail()));
            magnetd.stop();
        }
    }

    @Test
    void shouldLoseNothing() {
        assertThat(packets().growth().to().value("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldMeasureWhenDatagramsComeAsBpftraceDoes() {
        assertThat(packets().innerAll("udp_gap"))
                .as("between all of the work's")
                .isEqualTo(2 * DATAGRAMS);
        packets().assertTimes("magnet_net_udp_interarrival_bucket", "udp_gap");
        packets().assertLongest("magnet_net_udp_interarrival_max", "udp_gap_max", PAUSE_MICROS);
    }

    @Test
    void shouldMeasureWhenSegmentsComeAsBpftraceDoes() {
        assertThat(packets().innerAll("tcp_gap")).isGreaterThan(SEGMENTS);
        packets().assertTimes("magnet_net_tcp_interarrival_bucket", "tcp_gap");
        packets().assertLongest("magnet_net_tcp_interarrival_max", "tcp_gap_max", PAUSE_MICROS);
    }

    @Test
    void shouldFollowDatagramsOutAsBpftraceDoes() {
        assertThat(packets().innerAll("udp_out")).isGreaterThan(2 * DATAGRAMS);
        packets().assertTimes("magnet_journey_socket_to_device_bucket", "udp_out");
        packets().assertLongest("magnet_journey_udp_to_ip_max", "udp_to_ip_max", STALL_MICROS);
        packets().assertLongest("magnet_journey_socket_to_device_max", "udp_out_max", STALL_MICROS);
    }

    @Test
    void shouldFollowDataOfTcpOutAsBpftraceDoes() {
        assertThat(packets().innerAll("tcp_out")).isGreaterThan(SEGMENTS);
        packets().assertTimes("magnet_journey_tcp_send_socket_to_device_bucket", "tcp_out");
        packets().assertLongest("magnet_journey_tcp_send_tcp_to_ip_max", "tcp_to_ip_max", STALL_MICROS);
        packets().assertLongest("magnet_journey_tcp_send_socket_to_device_max", "tcp_out_max", STALL_MICROS);
    }

    /** A segment that comes while a program holds the connection waits for it. */
    @Test
    void shouldFollowSegmentsInAsBpftraceDoes() {
        assertThat(packets().innerAll("tcp_in")).isGreaterThan(SEGMENTS);
        packets().assertTimes("magnet_journey_tcp_receive_device_to_connection_bucket", "tcp_in");
        packets()
                .assertLongest(
                        "magnet_journey_tcp_receive_tcp_to_connection_max", "tcp_to_connection_max", WAIT_MICROS);
        packets().assertLongest("magnet_journey_tcp_receive_device_to_connection_max", "tcp_in_max", WAIT_MICROS);
    }

    private static Witnessed packets() {
        return packets.orElseThrow();
    }
}
