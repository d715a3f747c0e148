// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ByteTextTest {
    private static final Metric PROCESS = Metrics.ALL.stream()
            .filter(metric -> metric.type() == ValueType.STRING)
            .findFirst()
            .orElseThrow();

    /** Names of processes come as the kernel has them, a character for each byte. */
    private static String published(byte[] name) {
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 1, List.of(PROCESS))
                .putText(PROCESS, new String(name, StandardCharsets.ISO_8859_1))
                .build();
        return SensorCategories.of(snapshot, SensorCategories.bit(PROCESS.group())).stream()
                .flatMap(category -> category.variables().stream())
                .flatMap(variable -> variable.values().stream())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldEncodeTheNameOfAProcessOnce() {
        byte[] name = "j\u00e4va \u732b".getBytes(StandardCharsets.UTF_8);
        assertThat(published(name)).isEqualTo("j\u00e4va \u732b");
        assertThat(new Sexp().atom(published(name)).toString().getBytes(StandardCharsets.UTF_8))
                .isEqualTo("\"j\u00e4va \u732b\"".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldShowAQuestionMarkWhereANameIsNotUtf8() {
        assertThat(published(new byte[] {'a', (byte) 0xff, (byte) 0xfe, 'b', (byte) 0xc3}))
                .isEqualTo("a??b?");
    }

    /** Of a character that breaks off, one of too many bytes, half of a pair, and one that is longer than it may be. */
    @ParameterizedTest
    @CsvSource({
        "e28241, ??A",
        "f09f9241, ???A",
        "41e282, A??",
        "f8888080, ????",
        "eda080, ???",
        "c0af, ??",
        "e282e28ca8, ??\u2328",
        "f09f92a9f09f92, \ud83d\udca9???"
    })
    void shouldShowAQuestionMarkForEachByteThatIsNotUtf8(String bytes, String shown) {
        assertThat(published(HexFormat.of().parseHex(bytes))).isEqualTo(shown);
    }

    @Test
    void shouldShowAQuestionMarkWhereTheNameOfADeviceIsNotUtf8(@TempDir Path proc) throws Exception {
        Path file = Files.createDirectories(proc.resolve("net")).resolve("dev");
        Files.write(file, "x\u00ffy: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n".getBytes(StandardCharsets.ISO_8859_1));
        Category category = new ProcCategories(proc, InstantSource.system()).read(StandardCategory.NETINFO, 1);
        assertThat(category.variables().get(0).values()).containsExactly("x?y");
    }
}
