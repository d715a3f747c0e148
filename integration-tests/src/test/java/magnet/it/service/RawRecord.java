// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A record of layout wide, decoded by hand from docs/record-format.md and with nothing of the service's: what the
 * service says of its records is held against this. Immutable.
 *
 * @param at where it begins in its file, in bytes
 * @param event the id
 * @param id the abstract id
 * @param timer ticks
 * @param payload what follows the header
 */
record RawRecord(long at, int cpu, int event, long tgid, long tid, long id, long timer, ByteBuffer payload) {
    static final int INET_SENDMSG = 0x003;
    static final int UDP_SENDMSG = 0x010;
    static final int IP_SEND_SKB = 0x020;
    static final int DEV_QUEUE_XMIT = 0x030;
    static final int UDP_RCV = 0x060;
    static final int SCHED_SWITCH = 0x110;
    static final int SCHED_WAKEUP = 0x111;
    static final int SCHED_PROCESS_FORK = 0x120;
    static final int SCHED_PROCESS_EXEC = 0x121;
    static final int SCHED_PROCESS_EXIT = 0x122;
    static final int IRQ_HANDLER_ENTRY = 0x1c0;
    static final int IRQ_HANDLER_EXIT = 0x1c1;
    static final int SOFTIRQ_ENTRY = 0x1c2;
    static final int SOFTIRQ_EXIT = 0x1c3;
    static final int LOST = 0x3ff;

    private static final int HEADER = 32;
    private static final long U32 = 0xffff_ffffL;
    private static final int U16 = 0xffff;

    /** All records of a file, in its order. */
    static List<RawRecord> in(Path file) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
            List<RawRecord> records = new ArrayList<>();
            for (int at = 0; at < bytes.limit(); at += bytes.getInt(at)) {
                records.add(at(bytes, at));
            }
            return records;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The records of several CPUs' files in the order of time. */
    static List<RawRecord> merged(Collection<Path> files) {
        return files.stream()
                .flatMap(file -> in(file).stream())
                .sorted(Comparator.comparingLong(RawRecord::timer))
                .toList();
    }

    private static RawRecord at(ByteBuffer bytes, int at) {
        int size = bytes.getInt(at);
        return new RawRecord(
                at,
                bytes.getShort(at + 4) & U16,
                bytes.getShort(at + 6) & U16,
                bytes.getInt(at + 8) & U32,
                bytes.getInt(at + 12) & U32,
                bytes.getLong(at + 16),
                bytes.getLong(at + 24),
                bytes.slice(at + HEADER, size - HEADER).order(ByteOrder.LITTLE_ENDIAN));
    }

    long u32(int offset) {
        return payload.getInt(offset) & U32;
    }

    int u16(int offset) {
        return payload.getShort(offset) & U16;
    }
}
