// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;

/**
 * A node as gmond sees it: the service's own sink, with its encoder, its schedule of metadata, its pauses and a socket
 * of its own, under a name and an address of its own. Only the values are made up. For one thread, but for the counts.
 */
public final class SimulatedNode implements AutoCloseable {
    private static final int METADATA_ID = 128;
    private static final double WINDOW_SECONDS = 25;

    private final int number;
    private final String name;
    private final List<Metric> metrics;
    private final CountedChannel channel;
    private final GangliaSink sink;
    private MetricSnapshot last = MetricSnapshot.of(Instant.EPOCH, 0, List.of()).build();

    /**
     * @param number from 1 on
     * @param port gmond's, on the loopback address
     * @param metrics what it publishes
     * @param publishSeconds time between two publications
     */
    public SimulatedNode(int number, int port, List<Metric> metrics, double publishSeconds) {
        this.number = number;
        this.name = String.format(Locale.ROOT, "node%04d", number);
        this.metrics = List.copyOf(metrics);
        this.channel = new CountedChannel(
                new UdpChannel(TestChannels.unicast("127.0.0.1", port), "localhost", System::nanoTime));
        HostIdentity identity = new HostIdentity("10.0." + number / 250 + "." + (number % 250 + 1) + ":" + name, true);
        this.sink = new GangliaSink(
                new GangliaSink.Plan(
                        new MetricPackets(identity, GangliaSink.tmaxSeconds(publishSeconds), GangliaSink.DMAX_SECONDS),
                        List.of(channel),
                        new MetadataSchedule(0, GangliaSink.DMAX_SECONDS, publishSeconds)),
                publishSeconds,
                new Pacer(Thread::sleep),
                System::nanoTime);
    }

    /** Its name in gmond's XML. */
    public String name() {
        return name;
    }

    /**
     * Sends all its metrics; takes as long as the service would.
     *
     * @param round which publication this is; each has other values
     */
    public void publish(int round) throws IOException {
        MetricSnapshot.Builder snapshot = MetricSnapshot.of(Instant.now(), WINDOW_SECONDS, metrics);
        for (int i = 0; i < metrics.size(); i++) {
            long random = mix(((long) number << 32) + ((long) i << 20) + round);
            snapshot.put(metrics.get(i), number(random));
            snapshot.putText(metrics.get(i), "program-" + (random & 0xff));
        }
        last = snapshot.build();
        sink.publish(last);
    }

    /** What gmond has to show of it: the value sent last of each metric. Not while {@link #publish} runs. */
    public Map<String, String> last() {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < last.size(); i++) {
            Metric metric = last.metric(i);
            values.put(
                    metric.name(),
                    metric.type() == ValueType.STRING
                            ? last.text(i)
                            : GangliaText.number(last.value(i), metric.decimals()));
        }
        return values;
    }

    /** Packets of values that were sent. For any thread. */
    public long values() {
        return channel.values;
    }

    /** Packets of metadata that were sent. For any thread. */
    public long metadata() {
        return channel.metadata;
    }

    /** Bytes in all of them, without the headers of UDP. For any thread. */
    public long bytes() {
        return channel.bytes;
    }

    /** Packets that the kernel did not take. For any thread. */
    public long errors() {
        return sink.errors();
    }

    @Override
    public void close() {
        sink.close();
    }

    /** From 0 to 100,000, small ones as often as large ones. */
    private static double number(long random) {
        return Math.pow(10, (random >>> 40) / (double) (1 << 24) * 6 - 1);
    }

    /** The finaliser of SplitMix64: neighbouring numbers give unrelated ones. */
    private static long mix(long number) {
        long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Counts what goes by. One thread writes. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private static final class CountedChannel implements PacketChannel {
        private final PacketChannel channel;
        private volatile long values;
        private volatile long metadata;
        private volatile long bytes;

        CountedChannel(PacketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void begin() {
            channel.begin();
        }

        @Override
        public boolean prepare() {
            return channel.prepare();
        }

        @Override
        public void send(ByteBuffer packet) {
            if (packet.getInt(packet.position()) == METADATA_ID) {
                metadata++;
            } else {
                values++;
            }
            bytes += packet.remaining();
            channel.send(packet);
        }

        @Override
        public long errors() {
            return channel.errors();
        }

        @Override
        public void close() {
            channel.close();
        }

        @Override
        public String toString() {
            return channel.toString();
        }
    }
}
