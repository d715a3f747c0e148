// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class RecordFlyweightTest {
    @ParameterizedTest
    @EnumSource
    void shouldReadTheHeader(RecordLayout layout) {
        RecordWriter writer = new RecordWriter(layout, 256);
        writer.record(EventType.SOFTIRQ_ENTRY, 1, 2, 3, 4, 5);
        int start = writer.size();
        writer.record(
                EventType.UDP_ENQUEUE, 63, 4_194_304, 4_194_303, 0xfedc_ba98_7654_3210L, -2, -1, 0xffff_ffffL, 7, 8);

        RecordFlyweight record = new RecordFlyweight(layout).wrap(writer.buffer(), start);

        assertThat(record.validity(writer.size())).isEqualTo(Validity.VALID);
        assertThat(record.size()).isEqualTo(layout.headerSize() + 24);
        assertThat(record.cpu()).isEqualTo(63);
        assertThat(record.event()).isEqualTo(EventType.UDP_ENQUEUE.id());
        assertThat(record.tgid()).isEqualTo(4_194_304);
        assertThat(record.tid()).isEqualTo(layout.hasTid() ? 4_194_303 : 0);
        assertThat(record.abstractId()).isEqualTo(0xfedc_ba98_7654_3210L);
        assertThat(record.timer()).isEqualTo(-2);
        assertThat(record.payloadOffset()).isEqualTo(start + layout.headerSize());
        assertThat(record.payloadSize()).isEqualTo(24);
        assertThat(record.layout()).isEqualTo(layout);
        assertThat(record.offset()).isEqualTo(start);
        assertThat(record.buffer()).isSameAs(writer.buffer());
    }

    @Test
    void shouldReadPayloadFieldsUnsigned() {
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.UDP_RCV, 0, 1, 1, 0, 0, -1, 0xffff_ffffL, 3, 0xffff);
        RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE).wrap(writer.buffer(), 0);

        assertThat(record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET)).isEqualTo(-1);
        assertThat(record.payloadU32(Payload.PACKET_LEN_OFFSET)).isEqualTo(0xffff_ffffL);
        assertThat(record.payloadU16(Payload.PACKET_ETHERTYPE_OFFSET)).isEqualTo(0xffff);
        assertThat(EventType.UDP_RCV.fields())
                .extracting(field -> field.valueIn(record))
                .containsExactly(-1L, 0xffff_ffffL, 3L, 0xffffL, 0L, 0L);
    }

    @Test
    void shouldReadTheHighestCpuOfLayoutWide() {
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_EXIT, 65_535, 1, 1, 0, 0);
        assertThat(new RecordFlyweight(RecordLayout.WIDE)
                        .wrap(writer.buffer(), 0)
                        .cpu())
                .isEqualTo(65_535);
    }

    @ParameterizedTest
    @CsvSource({
        "WIDE,    32, 32, VALID",
        "WIDE,    32, 31, TRUNCATED",
        "WIDE,    32,  4, TRUNCATED",
        "WIDE,    32,  3, TRUNCATED",
        "WIDE,    32,  0, TRUNCATED",
        "WIDE,    40, 32, TRUNCATED",
        "WIDE,  8192, 9000, VALID",
        "WIDE,  8200, 9000, CORRUPT",
        "WIDE,    24, 64, CORRUPT",
        "WIDE,    36, 64, CORRUPT",
        "WIDE,     0, 64, CORRUPT",
        "WIDE,    -8, 64, CORRUPT",
        "WIDE, -2147483648, 64, CORRUPT",
        "CLASSIC, 24, 24, VALID",
        "CLASSIC, 24, 23, TRUNCATED",
        "CLASSIC, 16, 64, CORRUPT",
        "CLASSIC, 28, 64, CORRUPT",
        "CLASSIC, 8200, 9000, CORRUPT"
    })
    void shouldTellTruncatedFromCorrupt(RecordLayout layout, int size, int limit, Validity expected) {
        RecordWriter writer = new RecordWriter(layout, 16_384);
        writer.header(size, 1, 0x2f0, 1, 1, 0, 0);
        RecordFlyweight record = new RecordFlyweight(layout).wrap(writer.buffer(), 0);
        assertThat(record.validity(limit)).isEqualTo(expected);
    }

    @Test
    void shouldBeCorruptWhenAKnownEventLacksPayload() {
        RecordWriter writer = new RecordWriter();
        writer.header(32, 0, EventType.UDP_SENDMSG.id(), 1, 1, 0, 0);
        RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE).wrap(writer.buffer(), 0);
        assertThat(record.validity(64)).isEqualTo(Validity.CORRUPT);
    }

    @Test
    void shouldAcceptMorePayloadThanIsKnown() {
        RecordWriter writer = new RecordWriter();
        writer.header(64, 0, EventType.UDP_SENDMSG.id(), 1, 1, 0, 0);
        RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE).wrap(writer.buffer(), 0);
        assertThat(record.validity(64)).isEqualTo(Validity.VALID);
    }

    @Test
    void shouldRefuseForeignByteOrder() {
        ByteOrder foreign =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(foreign);
        assertThatThrownBy(() -> new RecordFlyweight(RecordLayout.WIDE).wrap(buffer, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
