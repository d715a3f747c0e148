// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import magnet.record.ClockModel;

/**
 * Packets of a pcapng file: each behind a {@link CookedHeader}, with its journey as a comment. An interface is described
 * before its first packet. For one thread.
 */
final class FileSink implements PacketSink {
    private final PcapngWriter writer;
    private final Interfaces interfaces;
    private final ClockModel clock;
    private final JourneyText journeys;
    private final int snapBytes;
    private final String filter;
    private final List<Known> known = new ArrayList<>();
    private final StringBuilder comment = new StringBuilder(512);

    /** An interface of the file. */
    private static final class Known {
        private final long namespace;
        private final Interfaces.Device device;
        private final int id;
        private long packets;

        Known(long namespace, Interfaces.Device device, int id) {
            this.namespace = namespace;
            this.device = device;
            this.id = id;
        }
    }

    FileSink(
            PcapngWriter writer,
            Interfaces interfaces,
            ClockModel clock,
            JourneyText journeys,
            int snapBytes,
            String filter) {
        this.writer = writer;
        this.interfaces = interfaces;
        this.clock = clock;
        this.journeys = journeys;
        this.snapBytes = snapBytes;
        this.filter = filter;
    }

    /** Describes an interface, which may have no packet. */
    void addInterface(int index) throws IOException {
        known(index, interfaces.namespace());
    }

    @Override
    public void onPacket(CapturedPacket packet) throws IOException {
        Known at = known(packet.ifindex(), packet.namespace() == 0 ? interfaces.namespace() : packet.namespace());
        ByteBuffer bytes = packet.bytes();
        CookedHeader.put(bytes, packet.ethertype(), packet.ifindex(), at.device.type(), packet.sent());
        bytes.limit(packet.end()).position(0);
        comment.setLength(0);
        journeys.append(packet, comment);
        writer.packet(
                new PcapngWriter.Packet(
                        at.id,
                        clock.realtimeNs(packet.timer()),
                        CookedHeader.SIZE + packet.originalLength(),
                        packet.sent(),
                        packet.journey().number()),
                bytes,
                comment);
        bytes.clear();
        at.packets++;
    }

    private Known known(int index, long namespace) throws IOException {
        for (Known each : known) {
            if (each.device.index() == index && each.namespace == namespace) {
                return each;
            }
        }
        Interfaces.Device device = interfaces.device(index, namespace);
        Known another = new Known(namespace, device, add(device.name()));
        known.add(another);
        return another;
    }

    private int add(String name) throws IOException {
        return writer.addInterface(
                new PcapngWriter.Interface(name, PcapngWriter.LINUX_SLL2, CookedHeader.SIZE + snapBytes, filter));
    }

    /**
     * Writes the counts. Of which interfaces the lost packets were nobody knows: they stand at the first one.
     *
     * @param startNs when the capture began, since 1970
     * @param endNs when it ended
     * @param dropped packets that were lost
     */
    void finish(long startNs, long endNs, long dropped) throws IOException {
        if (known.isEmpty()) {
            known.add(new Known(0, new Interfaces.Device(0, "any", CookedHeader.TYPE_UNKNOWN), add("any")));
        }
        for (Known each : known) {
            boolean first = each.id == 0;
            String said = first && known.size() > 1 ? "packets dropped by the OS are those of all interfaces" : "";
            writer.statistics(
                    each.id, new PcapngWriter.Statistics(startNs, endNs, each.packets, first ? dropped : -1, said));
        }
        flush();
    }

    @Override
    public void flush() throws IOException {
        writer.flush();
    }
}
