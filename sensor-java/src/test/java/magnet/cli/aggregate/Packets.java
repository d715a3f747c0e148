// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import magnet.record.EventType;
import magnet.record.RecordWriter;

/** Records that carry packets, for tests. */
final class Packets {
    private static final int HEADERS = 28;
    private static final int PAYLOAD = 24;
    private static final int WIDE_HEADER = 32;
    private static final int RECORD = 88;

    private Packets() {}

    /** A record of a point with {@code struct magnet_packet} and an IPv4 datagram from 10.0.0.9:1000. */
    static void udp(RecordWriter records, EventType type, int process, int destination, int port) {
        int start = records.header(RECORD, 0, type.id(), process, process, 0, 1);
        ByteBuffer bytes = records.buffer().duplicate().order(ByteOrder.nativeOrder());
        int payload = start + WIDE_HEADER;
        bytes.putLong(payload, 7)
                .putInt(payload + 8, HEADERS)
                .putInt(payload + 12, 2)
                .putShort(payload + 16, (short) 0x800)
                .putShort(payload + 18, (short) HEADERS)
                .putInt(payload + 20, HEADERS);
        bytes.order(ByteOrder.BIG_ENDIAN);
        int packet = payload + PAYLOAD;
        bytes.put(packet, (byte) 0x45)
                .put(packet + 9, (byte) 17)
                .putInt(packet + 12, 0x0a00_0009)
                .putInt(packet + 16, destination)
                .putShort(packet + 20, (short) 1_000)
                .putShort(packet + 22, (short) port);
    }
}
