// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.publish.Sink;

/**
 * Publishes snapshots to gmond, as gmetric would each metric.
 *
 * <p>A channel that fails does not hold up the others, and nothing stops the sending: a gmond that comes back has all
 * metrics again after the next metadata, which goes out as soon as the channel works. For one thread.
 */
public final class GangliaSink implements Sink {
    /** Longest time between two values that gmond shall expect, in seconds. */
    public static final int TMAX_SECONDS = 20;

    /** Time after which gmond forgets a metric that is no longer sent, in seconds. */
    public static final int DMAX_SECONDS = 600;

    private final HostIdentity identity;
    private final PacketEncoder encoder;
    private final List<PacketSink> channels;
    private final boolean[] failing;
    private final MetadataSchedule schedule;
    private final Pacer pacer;
    private final LongSupplier nanoClock;

    /**
     * A sink for everything that gmond.conf says.
     *
     * @param config what gmond.conf says
     * @param publishSeconds time between two snapshots
     * @throws IOException if the machine's name cannot be found out
     */
    public static GangliaSink of(GmondConfig config, double publishSeconds) throws IOException {
        HostIdentity identity = HostIdentity.of(config);
        HostIdentity unspoofed = HostIdentity.machine();
        List<PacketSink> channels = new ArrayList<>();
        for (SendChannel channel : config.channels()) {
            channels.add(new UdpChannel(channel, unspoofed.host(), System::nanoTime));
        }
        return new GangliaSink(
                identity,
                channels,
                new MetadataSchedule(config.sendMetadataIntervalSeconds(), DMAX_SECONDS, publishSeconds),
                new Pacer(Thread::sleep),
                System::nanoTime);
    }

    GangliaSink(
            HostIdentity identity,
            List<PacketSink> channels,
            MetadataSchedule schedule,
            Pacer pacer,
            LongSupplier nanoClock) {
        this.identity = identity;
        this.encoder = new PacketEncoder(identity);
        this.channels = List.copyOf(channels);
        this.failing = new boolean[channels.size()];
        this.schedule = schedule;
        this.pacer = pacer;
        this.nanoClock = nanoClock;
    }

    @Override
    public String name() {
        return "ganglia";
    }

    /** Where it sends to, for a log line. */
    public String destinations() {
        return channels.stream().map(PacketSink::toString).collect(Collectors.joining(", "));
    }

    /** Packets that some channel did not send, and times that one could not be opened. */
    public long errors() {
        return channels.stream().mapToLong(PacketSink::errors).sum();
    }

    /**
     * Sends metadata where it is due, and every value.
     *
     * @throws IOException if no channel could be opened
     */
    @Override
    public void publish(MetricSnapshot snapshot) throws IOException {
        List<PacketSink> ready = new ArrayList<>();
        long[] errorsBefore = new long[channels.size()];
        for (int i = 0; i < channels.size(); i++) {
            errorsBefore[i] = channels.get(i).errors();
            if (channels.get(i).prepare()) {
                ready.add(channels.get(i));
            }
        }
        if (!ready.isEmpty()) {
            boolean metadata = schedule.take(nanoClock.getAsLong());
            for (int i = 0; i < snapshot.size(); i++) {
                if (metadata) {
                    send(ready, metadataOf(snapshot.metric(i)));
                }
                send(ready, valueOf(snapshot.metric(i), snapshot.value(i)));
            }
        }
        noteRecoveries(errorsBefore);
        if (ready.isEmpty()) {
            throw new IOException("no send channel could be opened");
        }
    }

    @Override
    public void close() {
        channels.forEach(PacketSink::close);
    }

    private void noteRecoveries(long[] errorsBefore) {
        for (int i = 0; i < failing.length; i++) {
            boolean failed = channels.get(i).errors() > errorsBefore[i];
            if (failing[i] && !failed) {
                schedule.want();
            }
            failing[i] = failed;
        }
    }

    private ByteBuffer metadataOf(Metric metric) {
        List<ExtraElement> extra = new ArrayList<>();
        if (identity.spoof()) {
            extra.add(new ExtraElement("SPOOF_HOST", identity.host()));
        }
        extra.add(new ExtraElement("GROUP", GangliaText.text(metric.group().ganglia(), GangliaText.SHORT_MAX)));
        extra.add(new ExtraElement("DESC", GangliaText.text(metric.description(), GangliaText.DESCRIPTION_MAX)));
        extra.add(new ExtraElement("TITLE", GangliaText.text(metric.title(), GangliaText.SHORT_MAX)));
        return encoder.metadata(
                GangliaText.name(metric.name()),
                metric.type().word(),
                GangliaText.text(metric.unit(), GangliaText.SHORT_MAX),
                metric.slope().wire(),
                TMAX_SECONDS,
                DMAX_SECONDS,
                extra);
    }

    private ByteBuffer valueOf(Metric metric, double value) {
        return encoder.value(GangliaText.name(metric.name()), GangliaText.number(value, metric.decimals()));
    }

    private void send(List<PacketSink> ready, ByteBuffer packet) {
        pacer.beforePacket();
        for (PacketSink channel : ready) {
            channel.send(packet);
        }
    }
}
