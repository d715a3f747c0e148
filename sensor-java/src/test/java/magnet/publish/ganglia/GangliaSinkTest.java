// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.TopOrder;
import magnet.metric.ValueType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class GangliaSinkTest {
    private final AtomicLong nowNanos = new AtomicLong();

    /** A channel in memory that can be told to fail. */
    private static final class MemoryChannel implements PacketChannel {
        final List<FakeGmond.Packet> packets = new ArrayList<>();
        boolean begun;
        boolean closed;
        boolean unopened;
        boolean failing;
        private long errors;

        @Override
        public void begin() {
            begun = true;
        }

        @Override
        public boolean prepare() {
            errors += unopened ? 1 : 0;
            return !unopened;
        }

        @Override
        public void send(ByteBuffer packet) {
            if (failing) {
                errors++;
            } else {
                packets.add(FakeGmond.decode(packet.duplicate()));
            }
        }

        @Override
        public long errors() {
            return errors;
        }

        @Override
        public void close() {
            closed = true;
        }

        List<FakeGmond.Packet> take() {
            List<FakeGmond.Packet> taken = List.copyOf(packets);
            packets.clear();
            return taken;
        }
    }

    @Test
    void shouldSendEveryMetricWithItsMetadataWhenGmondConfNamesTwoChannels(@TempDir Path folder) throws IOException {
        try (FakeGmond first = new FakeGmond();
                FakeGmond second = new FakeGmond()) {
            Path conf = folder.resolve("gmond.conf");
            Files.writeString(conf, """
                    globals { override_hostname = node7 override_ip = 10.0.0.7 }
                    udp_send_channel { host = 127.0.0.1 port = %d }
                    udp_send_channel { host = localhost port = %d }
                    """.formatted(first.port(), second.port()));
            try (GangliaSink sink = GangliaSink.of(GmondConfig.read(conf), 5)) {
                sink.publish(snapshot(1.25));
            } catch (GmondConfigException e) {
                throw new AssertionError(e);
            }
            assertComplete(first.receiveAll());
            assertComplete(second.receiveAll());
        }
    }

    private static void assertComplete(List<FakeGmond.Packet> packets) {
        assertThat(packets).hasSize(2 * Metrics.DEFAULT.size());
        for (int i = 0; i < Metrics.DEFAULT.size(); i++) {
            Metric metric = Metrics.DEFAULT.get(i);
            FakeGmond.Packet metadata = packets.get(2 * i);
            FakeGmond.Packet value = packets.get(2 * i + 1);
            assertThat(metadata)
                    .isEqualTo(new FakeGmond.Packet(
                            128,
                            "10.0.0.7:node7",
                            metric.name(),
                            true,
                            "",
                            metric.type().word(),
                            metric.unit(),
                            metric.type() == ValueType.STRING ? 0 : 3,
                            20,
                            600,
                            List.of(
                                    new ExtraElement("SPOOF_HOST", "10.0.0.7:node7"),
                                    new ExtraElement("GROUP", metric.group().ganglia()),
                                    new ExtraElement("DESC", metric.description()),
                                    new ExtraElement("TITLE", metric.title()))));
            assertThat(value.name()).isEqualTo(metric.name());
            String number = metric.decimals() == 0 ? "1" : "1.25";
            assertThat(value.value()).isEqualTo(metric.type() == ValueType.STRING ? "-" : number);
        }
    }

    @Test
    void shouldBeginToOpenItsChannelsBeforeTheFirstSnapshot() {
        MemoryChannel channel = new MemoryChannel();
        try (GangliaSink sink = sink(channel)) {
            assertThat(channel.begun).as(sink.destinations()).isTrue();
        }
    }

    @Test
    void shouldSendMetadataByTimeWhenTheFirstSnapshotsAreOver() throws IOException {
        MemoryChannel channel = new MemoryChannel();
        try (GangliaSink sink = sink(channel)) {
            List<Boolean> metadata = new ArrayList<>();
            for (int cycle = 0; cycle < 30; cycle++) {
                sink.publish(snapshot(1));
                metadata.add(hasMetadata(channel.take()));
                nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
            }
            for (int cycle = 0; cycle < 30; cycle++) {
                assertThat(metadata.get(cycle))
                        .as("cycle %s", cycle)
                        .isEqualTo(cycle < 3 || cycle == 11 || cycle == 22);
            }
        }
        assertThat(channel.closed).isTrue();
    }

    @Test
    void shouldSendMetadataAgainWhenAChannelRecovers() throws IOException {
        MemoryChannel channel = new MemoryChannel();
        try (GangliaSink sink = sink(channel)) {
            for (int cycle = 0; cycle < 4; cycle++) {
                publishAfter5Seconds(sink);
            }
            channel.failing = true;
            publishAfter5Seconds(sink);
            publishAfter5Seconds(sink);
            channel.failing = false;
            channel.take();
            publishAfter5Seconds(sink);
            assertThat(hasMetadata(channel.take())).isFalse();
            publishAfter5Seconds(sink);
            assertThat(hasMetadata(channel.take())).isTrue();
            publishAfter5Seconds(sink);
            assertThat(hasMetadata(channel.take())).isFalse();
        }
    }

    @Test
    void shouldServeTheOthersWhenOneChannelFails() throws IOException {
        MemoryChannel unopened = new MemoryChannel();
        MemoryChannel failing = new MemoryChannel();
        MemoryChannel good = new MemoryChannel();
        unopened.unopened = true;
        failing.failing = true;
        try (GangliaSink sink = sink(unopened, failing, good)) {
            sink.publish(snapshot(1));
            assertThat(good.take()).hasSize(2 * Metrics.DEFAULT.size());
            assertThat(sink.errors()).isEqualTo(1 + 2L * Metrics.DEFAULT.size());
        }
    }

    @Test
    void shouldServeTheOthersWhenOneNameServerHangs() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        MemoryChannel good = new MemoryChannel();
        PacketChannel slow = new UdpChannel(
                "slow",
                true,
                () -> {
                    hangs.await();
                    throw new IOException();
                },
                nowNanos::get);
        try (GangliaSink sink = sink(slow, good)) {
            for (int cycle = 1; cycle <= 5; cycle++) {
                publishAfter5Seconds(sink);
                assertThat(good.take()).isNotEmpty();
                assertThat(sink.errors()).isEqualTo(cycle);
            }
        } finally {
            hangs.countDown();
        }
    }

    @Test
    void shouldGoOverToAnotherConfigurationWhenToldTo() throws IOException {
        MemoryChannel before = new MemoryChannel();
        MemoryChannel after = new MemoryChannel();
        try (GangliaSink sink = sink(before)) {
            for (int cycle = 0; cycle < 5; cycle++) {
                publishAfter5Seconds(sink);
            }
            before.failing = true;
            publishAfter5Seconds(sink);
            before.take();
            sink.use(plan("node2", after));
            publishAfter5Seconds(sink);
            assertThat(before.closed).isTrue();
            assertThat(before.take()).isEmpty();
            List<FakeGmond.Packet> packets = after.take();
            assertThat(packets).hasSize(2 * Metrics.DEFAULT.size());
            assertThat(packets).allMatch(packet -> packet.host().equals("node2"));
            assertThat(sink.errors()).as("not forgotten").isEqualTo(Metrics.DEFAULT.size());
        }
        assertThat(after.closed).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1, 20", "5, 20", "6, 24", "7.5, 30", "20, 80"})
    void shouldLetGmondExpectAsMuchTimeAsFourPublicationsTake(double publishSeconds, int tmaxSeconds) {
        assertThat(GangliaSink.tmaxSeconds(publishSeconds)).isEqualTo(tmaxSeconds);
    }

    @Test
    void shouldFailAndKeepMetadataForLaterWhenNoChannelOpens() throws IOException {
        MemoryChannel channel = new MemoryChannel();
        channel.unopened = true;
        try (GangliaSink sink = sink(channel)) {
            for (int cycle = 0; cycle < 5; cycle++) {
                assertThatThrownBy(() -> sink.publish(snapshot(1)))
                        .isInstanceOf(IOException.class)
                        .hasMessage("no send channel could be opened");
            }
            channel.unopened = false;
            sink.publish(snapshot(1));
            assertThat(hasMetadata(channel.take())).isTrue();
        }
    }

    @Test
    void shouldPauseWithinASnapshotWhenMetadataMakesItLong() throws IOException {
        AtomicInteger pauses = new AtomicInteger();
        try (GangliaSink sink = new GangliaSink(
                plan("node1", new MemoryChannel()), 5, new Pacer(millis -> pauses.incrementAndGet()), nowNanos::get)) {
            sink.publish(snapshot(1));
        }
        assertThat(pauses).hasValue((2 * Metrics.DEFAULT.size() - 1) / Pacer.BURST);
    }

    @Test
    void shouldBreakASnapshotOffWhenItIsInterrupted() {
        MemoryChannel channel = new MemoryChannel();
        Pacer interrupted = new Pacer(millis -> {
            throw new InterruptedException();
        });
        try (GangliaSink sink = new GangliaSink(plan("node1", channel), 5, interrupted, nowNanos::get)) {
            assertThatThrownBy(() -> sink.publish(snapshot(1))).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).as("kept for the caller").isTrue();
        }
        assertThat(channel.packets).hasSize(Pacer.BURST);
    }

    private void publishAfter5Seconds(GangliaSink sink) throws IOException {
        sink.publish(snapshot(1));
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    }

    private GangliaSink sink(PacketChannel... channels) {
        return new GangliaSink(plan("node1", channels), 5, new Pacer(millis -> {}), nowNanos::get);
    }

    private static GangliaSink.Plan plan(String host, PacketChannel... channels) {
        return new GangliaSink.Plan(
                new MetricPackets(new HostIdentity(host, false), 20, GangliaSink.DMAX_SECONDS),
                List.of(channels),
                new MetadataSchedule(0, GangliaSink.DMAX_SECONDS, 5));
    }

    private static boolean hasMetadata(List<FakeGmond.Packet> packets) {
        return packets.stream().anyMatch(FakeGmond.Packet::isMetadata);
    }

    private static MetricSnapshot snapshot(double value) {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.DEFAULT);
        Metrics.DEFAULT.forEach(metric -> builder.put(metric, value));
        return builder.build();
    }

    @Test
    void shouldSendNamesSafelyWhenProcessesHaveAnyCharacter() throws IOException {
        Metric name = TopOrder.CPU.names().get(0);
        MetricSnapshot snapshot = MetricSnapshot.of(
                        Instant.EPOCH, 25, List.of(name, TopOrder.WAIT.names().get(0)))
                .putText(name, "a<b> &\"c'/\u00e9\n 7")
                .build();
        MemoryChannel channel = new MemoryChannel();
        try (GangliaSink sink = sink(channel)) {
            sink.publish(snapshot);
        }
        List<FakeGmond.Packet> packets = channel.take();
        assertThat(packets.get(0)).returns("string", FakeGmond.Packet::type).returns(0, FakeGmond.Packet::slope);
        assertThat(packets.get(1).value()).isEqualTo("a b    c /   7");
        assertThat(packets.get(3).value()).isEqualTo("-");
    }
}
