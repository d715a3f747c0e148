// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.WordKind;
import magnet.record.Words;

/** Requests in block devices, from issue to the completion of all their bytes, and how many there are. For one thread. */
final class BlockTracks {
    private static final int OPEN_MOST = 1 << 14;
    private static final int DEVICES_MOST = 1_024;
    private static final int MINOR_BITS = 20;
    /** Of traces whose kernel does not say it: these are the same for all. */
    private static final List<String> OPERATIONS = List.of("read", "write", "flush", "discard");

    /** A request that is under way. */
    private static final class Request {
        private final long device;
        private final long begin;
        private final long bytes;
        private final long sector;
        private long left;

        Request(long device, long begin, long bytes, long sector) {
            this.device = device;
            this.begin = begin;
            this.bytes = bytes;
            this.sector = sector;
            this.left = bytes;
        }
    }

    /** A device's tracks. */
    private static final class Device {
        private final Lanes lanes;
        private final long depthTrack;
        private int depth;

        Device(Lanes lanes, long depthTrack) {
            this.lanes = lanes;
            this.depthTrack = depthTrack;
        }
    }

    private final PacketWriter packets;
    private final Groups groups;
    private final Words words;
    private final Bounded<Long, Request> open = new Bounded<>(OPEN_MOST);
    private final Map<Long, Device> devices = new HashMap<>();
    private long unwritten;

    /** @param words for what requests want */
    BlockTracks(PacketWriter packets, Groups groups, Words words) {
        this.packets = packets;
        this.groups = groups;
        this.words = words;
    }

    /** Slices for which there was no track. */
    long unwritten() {
        return unwritten;
    }

    void onRecord(EventType type, RecordFlyweight record, long ns) {
        long id = record.abstractId();
        long bytes = record.payloadU32(Payload.BLOCK_BYTES_OFFSET);
        if (type == EventType.BLOCK_RQ_ISSUE) {
            long device = record.payloadU32(Payload.BLOCK_DEV_OFFSET);
            Request before =
                    open.put(id, new Request(device, ns, bytes, record.payloadU64(Payload.BLOCK_SECTOR_OFFSET)));
            count(device, before == null ? 1 : 0, ns);
            return;
        }
        Request request = open.get(id);
        if (request == null) {
            return;
        }
        long error = record.payloadU32(Payload.BLOCK_ERROR_OFFSET);
        request.left -= bytes;
        if (request.left <= 0 || error != 0) {
            open.remove(id);
            write(request, record.payloadU32(Payload.BLOCK_OP_OFFSET), error, ns);
        }
    }

    /** Any of them may have ended unseen. */
    void onLost(long ns) {
        open.clear();
        devices.values().forEach(device -> {
            if (device.depth != 0) {
                device.depth = 0;
                packets.counter(device.depthTrack, ns, 0);
            }
        });
    }

    private void write(Request request, long operation, long error, long ns) {
        count(request.device, -1, ns);
        Device device = devices.get(request.device);
        if (device == null) {
            unwritten++;
            return;
        }
        Annotations annotations =
                packets.annotations().with("bytes", request.bytes).with("sector", request.sector);
        if (error != 0) {
            annotations.with("errno", error);
        }
        unwritten += device.lanes.slice(name(operation), request.begin, ns) ? 0 : 1;
    }

    private void count(long number, int change, long ns) {
        Device device = devices.get(number);
        if (device == null) {
            if (devices.size() >= DEVICES_MOST) {
                return;
            }
            String name = "device " + (number >>> MINOR_BITS) + ":" + (number & ((1 << MINOR_BITS) - 1));
            long group = groups.track(Group.BLOCK);
            device = new Device(
                    groups.lanes(Group.BLOCK, name, devices.size()),
                    packets.counterTrack("requests in " + name, group, "requests"));
            devices.put(number, device);
        }
        if (change != 0) {
            device.depth = Math.max(0, device.depth + change);
            packets.counter(device.depthTrack, ns, device.depth);
        }
    }

    private String name(long operation) {
        String word = words.of(WordKind.BLOCK_OP, operation);
        if (word != null) {
            return word.toLowerCase(Locale.ROOT);
        }
        return operation < OPERATIONS.size() ? OPERATIONS.get((int) operation) : "request";
    }
}
