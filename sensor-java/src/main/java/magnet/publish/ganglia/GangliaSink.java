// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;
import magnet.publish.Sink;
import org.jspecify.annotations.Nullable;

/**
 * Publishes snapshots to gmond, as gmetric would each metric.
 *
 * <p>A channel that fails does not hold up the others, and nothing stops the sending: a gmond that comes back has all
 * metrics again after the next metadata, which goes out as soon as the channel works. For one thread, but for
 * {@link #use} and {@link #errors}.
 */
public final class GangliaSink implements Sink {
    /** Time after which gmond forgets a metric that is no longer sent, in seconds. */
    public static final int DMAX_SECONDS = 600;

    private static final int TMAX_LEAST_SECONDS = 20;
    private static final int TMAX_INTERVALS = 4;

    /**
     * What it does with a snapshot, as long as gmond.conf stays as it is.
     *
     * @param packets what packets look like
     * @param channels where they go
     * @param schedule when metadata goes with them
     */
    record Plan(MetricPackets packets, List<PacketChannel> channels, MetadataSchedule schedule) {
        Plan {
            channels = List.copyOf(channels);
        }
    }

    private final double publishSeconds;
    private final Pacer pacer;
    private final LongSupplier nanoClock;
    private final AtomicReference<@Nullable Plan> next = new AtomicReference<>();
    private volatile Plan plan;
    private volatile long errors;
    private boolean[] failing;

    /**
     * A sink for everything that gmond.conf says.
     *
     * @param config what gmond.conf says
     * @param publishSeconds time between two snapshots
     * @throws IOException if the machine's name cannot be found out
     */
    public static GangliaSink of(GmondConfig config, double publishSeconds) throws IOException {
        return new GangliaSink(
                planFor(config, publishSeconds), publishSeconds, new Pacer(Thread::sleep), System::nanoTime);
    }

    /**
     * Begins to open its channels at once: to look names up and to open the first socket takes a busy machine seconds, which
     * the first snapshot does not wait for.
     */
    GangliaSink(Plan plan, double publishSeconds, Pacer pacer, LongSupplier nanoClock) {
        this.plan = plan;
        this.failing = new boolean[plan.channels().size()];
        this.publishSeconds = publishSeconds;
        this.pacer = pacer;
        this.nanoClock = nanoClock;
        plan.channels().forEach(PacketChannel::begin);
    }

    private static Plan planFor(GmondConfig config, double publishSeconds) throws IOException {
        HostIdentity unspoofed = HostIdentity.machine();
        List<PacketChannel> channels = new ArrayList<>();
        for (SendChannel channel : config.channels()) {
            channels.add(new UdpChannel(channel, unspoofed.host(), System::nanoTime));
        }
        return new Plan(
                new MetricPackets(HostIdentity.of(config, unspoofed.host()), tmaxSeconds(publishSeconds), DMAX_SECONDS),
                channels,
                new MetadataSchedule(config.sendMetadataIntervalSeconds(), DMAX_SECONDS, publishSeconds));
    }

    /** Longest time between two values that gmond shall expect, in seconds: a few may get lost. */
    static int tmaxSeconds(double publishSeconds) {
        return (int) Math.max(TMAX_LEAST_SECONDS, Math.ceil(TMAX_INTERVALS * publishSeconds));
    }

    @Override
    public String name() {
        return "ganglia";
    }

    /**
     * From the next snapshot on does what this configuration says: opens all channels anew, so that names are looked up
     * once more, and sends metadata with the first snapshots as after a start. For any thread.
     *
     * @throws IOException if the machine's name cannot be found out; then nothing changes
     */
    public void use(GmondConfig config) throws IOException {
        use(planFor(config, publishSeconds));
    }

    void use(Plan replacement) {
        next.set(replacement);
    }

    @Override
    public String destinations() {
        Plan replacement = next.get();
        return (replacement == null ? plan : replacement)
                .channels().stream().map(PacketChannel::toString).collect(Collectors.joining(", "));
    }

    /** Packets that some channel did not send, and times that one could not be opened. */
    @Override
    public long errors() {
        return errors;
    }

    /**
     * Sends metadata where it is due, and every value.
     *
     * @throws InterruptedIOException if the thread was interrupted before all was sent
     * @throws IOException if no channel could be opened
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        adopt();
        List<PacketChannel> channels = plan.channels();
        long[] errorsBefore = channels.stream().mapToLong(PacketChannel::errors).toArray();
        channels.forEach(PacketChannel::begin);
        List<PacketChannel> ready =
                channels.stream().filter(PacketChannel::prepare).toList();
        if (!ready.isEmpty()) {
            send(ready, snapshot);
        }
        noteErrors(errorsBefore);
        if (ready.isEmpty()) {
            throw new IOException("no send channel could be opened");
        }
    }

    @Override
    public void close() {
        plan.channels().forEach(PacketChannel::close);
    }

    private void adopt() {
        Plan replacement = next.getAndSet(null);
        if (replacement != null) {
            plan.channels().forEach(PacketChannel::close);
            plan = replacement;
            failing = new boolean[replacement.channels().size()];
        }
    }

    private void send(List<PacketChannel> ready, MetricSnapshot snapshot) throws InterruptedIOException {
        MetricPackets packets = plan.packets();
        MetadataSchedule schedule = plan.schedule();
        schedule.begin(nanoClock.getAsLong());
        for (int i = 0; i < snapshot.size(); i++) {
            Metric metric = snapshot.metric(i);
            if (schedule.take(metric.name())) {
                send(ready, packets.metadata(metric));
            }
            send(
                    ready,
                    metric.type() == ValueType.STRING
                            ? packets.value(metric, snapshot.text(i))
                            : packets.value(metric, snapshot.value(i)));
        }
    }

    private void send(List<PacketChannel> ready, ByteBuffer packet) throws InterruptedIOException {
        pacer.beforePacket();
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted before all was sent");
        }
        for (PacketChannel channel : ready) {
            channel.send(packet);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
    private void noteErrors(long[] errorsBefore) {
        List<PacketChannel> channels = plan.channels();
        for (int i = 0; i < failing.length; i++) {
            long now = channels.get(i).errors() - errorsBefore[i];
            errors += now;
            if (failing[i] && now == 0) {
                plan.schedule().want();
            }
            failing[i] = now > 0;
        }
    }
}
