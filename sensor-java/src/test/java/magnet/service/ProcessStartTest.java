// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProcessStartTest {

    @Test
    void shouldSubtractTheStartFromTheUptimeWhenBothAreTold() {
        String stat = "4711 (a) b) S 1 4711 4711 0 -1 4194304 5000 0 0 0 123 45 0 0 20 0 17 0 987654 3000000 9999";
        assertThat(ProcessStart.age(stat, "9999.99 12345.67\n")).isEqualTo(Duration.ofMillis(123_450));
    }

    @Test
    void shouldAgreeWithTheJvmWhenAskedOfThisProcess() {
        Instant jvm = ProcessHandle.current().info().startInstant().orElseThrow();
        assertThat(Duration.between(jvm, ProcessStart.instant()).abs()).isLessThan(Duration.ofSeconds(5));
    }
}
