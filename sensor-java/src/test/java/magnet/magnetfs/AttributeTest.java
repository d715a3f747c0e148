// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.os.DataFile;
import magnet.testing.Fifo;
import magnet.testing.UapiHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AttributeTest {
    private static final UapiHeader HEADER = UapiHeader.read();

    @TempDir
    private Path folder;

    @Test
    void shouldAgreeWithTheKernelsHeader() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (Attribute attribute : Attribute.values()) {
            java.put("MAGNET_ATTR_" + attribute.name(), (long) attribute.option());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_attr"));
        assertThat(Attribute.MAGIC).isEqualTo((int) HEADER.value("MAGNET_ATTR_MAGIC"));
        assertThat(Attribute.VALUE_BITS).isEqualTo((int) HEADER.value("MAGNET_ATTR_VALUE_BITS"));
        assertThat(Attribute.VALUE_MASK).isEqualTo(HEADER.value("MAGNET_ATTR_VALUE_MASK"));
        assertThat(Attribute.TIMEOUT_MAX_US).isEqualTo(HEADER.value("MAGNET_READ_TIMEOUT_MAX_US"));
    }

    @Test
    void shouldPutMagicOptionAndValueIntoTheOffset() {
        assertThat(Attribute.MAX_READ_TIMEOUT.offset(0x1234)).isEqualTo(0x4d05_0000_0000_1234L);
        assertThat(Attribute.READSIZE_WATERMARK.offset(0xffff_ffff_ffffL)).isEqualTo(0x4d01_ffff_ffff_ffffL);
        assertThat(Attribute.FLUSH.offset(0)).isPositive();
    }

    @Test
    void shouldRefuseAValueThatDoesNotFit() {
        assertThatThrownBy(() -> Attribute.MIN_READ_TIMEOUT.offset(1L << 48)).hasMessageContaining("MIN_READ_TIMEOUT");
        assertThatThrownBy(() -> Attribute.MIN_READ_TIMEOUT.offset(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldSayWhenTheFileIsNoDataFile() throws IOException {
        try (Fifo fifo = Fifo.create(folder.resolve("fifo"));
                DataFile file = DataFile.open(fifo.path())) {
            assertThatThrownBy(() -> Attribute.FLUSH.set(file, 0)).hasMessageContaining("ESPIPE");
            assertThatThrownBy(() -> Attribute.MIN_READ_TIMEOUT.get(file)).hasMessageContaining("ESPIPE");
        }
    }
}
