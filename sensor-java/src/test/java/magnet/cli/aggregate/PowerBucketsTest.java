// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Labels are those that bpftrace prints, up to T. */
final class PowerBucketsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-9223372036854775808 | (..., 0)",
                "-1 | (..., 0)",
                "0 | [0]",
                "1 | [1]",
                "2 | [2, 4)",
                "3 | [2, 4)",
                "4 | [4, 8)",
                "511 | [256, 512)",
                "512 | [512, 1K)",
                "1023 | [512, 1K)",
                "1024 | [1K, 2K)",
                "4096 | [4K, 8K)",
                "8191 | [4K, 8K)",
                "1048575 | [512K, 1M)",
                "1048576 | [1M, 2M)",
                "1073741824 | [1G, 2G)",
                "1099511627776 | [1T, 2T)",
                "1125899906842624 | [1P, 2P)",
                "9223372036854775807 | [4E, 8E)",
            })
    void shouldPutNumbersWhereBpftraceDoes(long value, String label) {
        assertThat(PowerBuckets.label(PowerBuckets.of(value))).isEqualTo(label);
    }

    @Test
    void shouldHaveBordersThatMeet() {
        assertThat(PowerBuckets.least(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(PowerBuckets.most(PowerBuckets.COUNT - 1)).isEqualTo(Long.MAX_VALUE);
        for (int bucket = 0; bucket < PowerBuckets.COUNT; bucket++) {
            assertThat(PowerBuckets.of(PowerBuckets.least(bucket))).isEqualTo(bucket);
            assertThat(PowerBuckets.of(PowerBuckets.most(bucket))).isEqualTo(bucket);
            if (bucket > 0) {
                assertThat(PowerBuckets.least(bucket)).isEqualTo(PowerBuckets.most(bucket - 1) + 1);
            }
        }
    }
}
