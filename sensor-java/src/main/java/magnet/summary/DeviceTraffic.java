// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.Set;
import magnet.metric.GmondMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Packets and bytes of the network devices that gmond counts: those of the service's own network namespace but the
 * loopback, bonds and VLANs, whose packets pass another device, too. Which these are is looked up at the end of each
 * slot. For one thread.
 */
final class DeviceTraffic extends BuiltInHandler {
    /** Whose devices are counted, and which of them are not, sorted. */
    private static final class Counted {
        private final long namespace;
        private final int[] leftOut;

        Counted(long namespace, int[] leftOut) {
            this.namespace = namespace;
            this.leftOut = leftOut;
        }
    }

    private final Machine machine;
    private final WindowedCount bytesIn;
    private final WindowedCount packetsIn;
    private final WindowedCount bytesOut;
    private final WindowedCount packetsOut;
    private volatile Counted counted = new Counted(0, new int[0]);

    DeviceTraffic(int slots, Machine machine) {
        this.machine = machine;
        this.bytesIn = new WindowedCount(slots);
        this.packetsIn = new WindowedCount(slots);
        this.bytesOut = new WindowedCount(slots);
        this.packetsOut = new WindowedCount(slots);
        lookUp();
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.NET_DEV_XMIT, EventType.NET_DEV_RECEIVE);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == EventType.NET_DEV_RECEIVE) {
            if (isCounted(
                    record.payloadU32(Payload.DEV_RECEIVE_NETNS_OFFSET),
                    record.payloadU32(Payload.DEV_RECEIVE_IFINDEX_OFFSET))) {
                packetsIn.increment();
                bytesIn.add(record.payloadU32(Payload.DEV_RECEIVE_LEN_OFFSET));
            }
        } else if (DriverRefusals.wasTaken(record)
                && isCounted(
                        record.payloadU32(Payload.XMIT_NETNS_OFFSET), record.payloadU32(Payload.XMIT_IFINDEX_OFFSET))) {
            packetsOut.increment();
            bytesOut.add(record.payloadU32(Payload.XMIT_LEN_OFFSET));
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(GmondMetrics.BYTES_IN, bytesIn.sum());
        snapshot.putRate(GmondMetrics.PACKETS_IN, packetsIn.sum());
        snapshot.putRate(GmondMetrics.BYTES_OUT, bytesOut.sum());
        snapshot.putRate(GmondMetrics.PACKETS_OUT, packetsOut.sum());
        snapshot.later(with -> {
            machine.lookAround();
            lookUp();
        });
    }

    @Override
    public void advance() {
        bytesIn.advance();
        packetsIn.advance();
        bytesOut.advance();
        packetsOut.advance();
    }

    private boolean isCounted(long in, long device) {
        Counted now = counted;
        return in == now.namespace && Arrays.binarySearch(now.leftOut, (int) device) < 0;
    }

    /** For the thread that builds the snapshot, and for the constructor's. */
    private void lookUp() {
        Machine.NetworkNamespace network = machine.network();
        counted = new Counted(
                network.namespace(),
                network.leftOut().stream().mapToInt(Integer::intValue).sorted().toArray());
    }
}
