// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.time.ZoneId;
import magnet.record.ClockModel;

/**
 * A packet as two lines, the first in the manner of tcpdump, and its bytes if they are wanted.
 *
 * <pre>
 * 13:37:00.123456789 eth0 Out IP 10.0.0.1.5000 > 10.0.0.2.53: UDP, length 29
 *     tsc=81723645 cpu=1 thread=419(python3): inet_sendmsg +0, …
 * </pre>
 *
 * <p>For one thread.
 */
final class LineSink implements PacketSink {
    private final PacketDump.Lines out;
    private final Interfaces interfaces;
    private final ClockModel clock;
    private final LineStyle style;
    private final LineTime time;
    private final PacketBytes bytes;
    private final PacketText packets;
    private final JourneyText journeys;
    private final StringBuilder line = new StringBuilder(512);
    private long shown;

    LineSink(
            PacketDump.Lines out,
            Interfaces interfaces,
            ClockModel clock,
            ZoneId zone,
            LineStyle style,
            PacketText packets,
            JourneyText journeys) {
        this.out = out;
        this.interfaces = interfaces;
        this.clock = clock;
        this.style = style;
        this.time = new LineTime(style.time(), zone);
        this.bytes = new PacketBytes(style.bytes(), out);
        this.packets = packets;
        this.journeys = journeys;
    }

    @Override
    public void onPacket(CapturedPacket packet) throws IOException {
        line.setLength(0);
        if (style.isNumbered()) {
            line.append("%5d  ".formatted(++shown));
        }
        time.append(clock.realtimeNs(packet.timer()), line);
        line.append(interfaces.device(packet.ifindex(), packet.namespace()).name());
        line.append(packet.sent() ? " Out " : " In ");
        if (style.hasLink()) {
            line.append("ifindex ").append(packet.ifindex()).append(' ');
            packets.appendLink(packet, line);
        }
        packets.append(packet, line);
        out.line(line);
        line.setLength(0);
        line.append("    ");
        journeys.append(packet, line);
        out.line(line);
        bytes.print(packet);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
