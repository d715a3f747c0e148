// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import info.ganglia.gmetric4j.gmetric.GMetric;
import info.ganglia.gmetric4j.gmetric.GMetricSlope;
import info.ganglia.gmetric4j.gmetric.GMetricType;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Byte for byte against what the two other senders put on the wire. */
class PacketEncoderTest {
    private static final String NAME = "magnet_sched_run_queue_wait_p99";

    /**
     * The packets of Debian 12's gmetric 3.7.2 for
     * {@code gmetric -n NAME -v 12.345 -t double -u us -s both -x 20 -d 600 -g magnet_scheduler -D ... -T ...}: on a
     * host called node1; with override_hostname = node1; with override_hostname and override_ip.
     */
    @ParameterizedTest
    @CsvSource({
        "gmetric-plain, node1, false",
        "gmetric-hostname, node1:node1, true",
        "gmetric-ip, 10.0.0.1:node1.example.org, true"
    })
    void shouldEqualGmetricsPacketsWhenIdentityDiffers(String fixture, String host, boolean spoof) throws IOException {
        PacketEncoder encoder = new PacketEncoder(new HostIdentity(host, spoof));
        List<ExtraElement> extra = new ArrayList<>();
        if (spoof) {
            extra.add(new ExtraElement("SPOOF_HOST", host));
        }
        extra.add(new ExtraElement("GROUP", "magnet_scheduler"));
        extra.add(new ExtraElement("DESC", "How long runnable threads waited for a CPU"));
        extra.add(new ExtraElement("TITLE", "Run queue wait p99"));
        assertThat(bytes(encoder.metadata(NAME, "double", "us", 3, 20, 600, extra)))
                .isEqualTo(resource(fixture + "-metadata.bin"));
        assertThat(bytes(encoder.value(NAME, "12.345"))).isEqualTo(resource(fixture + "-value.bin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "ab", "abc", "abcd", "magnet_net_udp_interarrival_p99"})
    void shouldEqualGmetric4jsPacketsWhenTitleAndDescriptionAreTheName(String name) throws Exception {
        try (FakeGmond gmond = new FakeGmond();
                GMetric gmetric = new GMetric(
                        "127.0.0.1",
                        gmond.port(),
                        GMetric.UDPAddressingMode.UNICAST,
                        1,
                        true,
                        null,
                        "10.0.0.1:node1")) {
            gmetric.announce(name, "1.5", GMetricType.DOUBLE, "us", GMetricSlope.BOTH, 20, 600, "group");
            PacketEncoder encoder = new PacketEncoder(new HostIdentity("10.0.0.1:node1", true));
            List<ExtraElement> extra = List.of(
                    new ExtraElement("GROUP", "group"),
                    new ExtraElement("TITLE", name),
                    new ExtraElement("DESC", name));
            assertThat(bytes(encoder.metadata(name, "double", "us", 3, 20, 600, extra)))
                    .isEqualTo(received(gmond));
            assertThat(bytes(encoder.value(name, "1.5"))).isEqualTo(received(gmond));
        }
    }

    @Test
    void shouldHoldTheLongestTextsWhenAllAreAtTheirLimits() {
        PacketEncoder encoder = new PacketEncoder(new HostIdentity("10.0.0.1:" + "h".repeat(63), true));
        ByteBuffer packet = encoder.metadata(
                "n".repeat(GangliaText.NAME_MAX),
                "double",
                "u".repeat(GangliaText.SHORT_MAX),
                3,
                20,
                600,
                List.of(
                        new ExtraElement("SPOOF_HOST", "10.0.0.1:" + "h".repeat(63)),
                        new ExtraElement("GROUP", "g".repeat(GangliaText.SHORT_MAX)),
                        new ExtraElement("DESC", "d".repeat(GangliaText.DESCRIPTION_MAX)),
                        new ExtraElement("TITLE", "t".repeat(GangliaText.SHORT_MAX))));
        assertThat(packet.remaining()).isLessThanOrEqualTo(PacketEncoder.PACKET_MAX);
        assertThat(FakeGmond.decode(packet).extra()).hasSize(4);
    }

    @Test
    void shouldRefuseAndGoOnWhenAPacketIsTooLong() {
        PacketEncoder encoder = new PacketEncoder(new HostIdentity("node1", false));
        assertThatThrownBy(() -> encoder.value("name", "x".repeat(1_472)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("packet of name exceeds 1472 bytes");
        assertThat(FakeGmond.decode(encoder.value("name", "1")).value()).isEqualTo("1");
    }

    private static byte[] received(FakeGmond gmond) throws IOException {
        DatagramPacket packet = Objects.requireNonNull(gmond.receive(5_000));
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    private static byte[] bytes(ByteBuffer packet) {
        byte[] bytes = new byte[packet.remaining()];
        packet.get(bytes);
        return bytes;
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = PacketEncoderTest.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }
}
