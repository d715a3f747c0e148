// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import magnet.record.ClockModel;

/**
 * A packet as two lines, the first in the manner of tcpdump.
 *
 * <pre>
 * 13:37:00.123456789 eth0 Out IP 10.0.0.1.5000 > 10.0.0.2.53: UDP, length 29
 *     tsc=81723645 cpu=1 thread=419(python3): inet_sendmsg +0, …
 * </pre>
 *
 * <p>For one thread.
 */
final class LineSink implements PacketSink {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final PacketDump.Lines out;
    private final Interfaces interfaces;
    private final ClockModel clock;
    private final ZoneId zone;
    private final PacketText packets;
    private final JourneyText journeys;
    private final StringBuilder line = new StringBuilder(512);

    LineSink(
            PacketDump.Lines out,
            Interfaces interfaces,
            ClockModel clock,
            ZoneId zone,
            PacketText packets,
            JourneyText journeys) {
        this.out = out;
        this.interfaces = interfaces;
        this.clock = clock;
        this.zone = zone;
        this.packets = packets;
        this.journeys = journeys;
    }

    @Override
    public void onPacket(CapturedPacket packet) throws IOException {
        line.setLength(0);
        long nanos = clock.realtimeNs(packet.timer());
        long seconds = Math.floorDiv(nanos, NANOS_PER_SECOND);
        SECONDS.formatTo(Instant.ofEpochSecond(seconds).atZone(zone), line);
        line.append(".%09d ".formatted(Math.floorMod(nanos, NANOS_PER_SECOND)));
        line.append(interfaces.device(packet.ifindex(), packet.namespace()).name());
        line.append(packet.sent() ? " Out " : " In ");
        packets.append(packet, line);
        out.line(line);
        line.setLength(0);
        line.append("    ");
        journeys.append(packet, line);
        out.line(line);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
