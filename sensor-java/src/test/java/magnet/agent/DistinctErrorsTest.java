// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class DistinctErrorsTest {
    private final DistinctErrors errors = new DistinctErrors(NOPLogger.NOP_LOGGER);

    @Test
    void shouldSayAnErrorOnceWhenItRepeats() {
        assertThat(errors.record("a")).isTrue();
        assertThat(errors.record("a")).isFalse();
        assertThat(errors.record("b")).isTrue();
        assertThat(errors.total()).isEqualTo(3);
    }

    @Test
    void shouldSayItAgainWhenItHadGoneAway() {
        errors.record("a");
        errors.record("a");
        assertThat(errors.clear()).isEqualTo(2);
        assertThat(errors.clear()).isZero();
        assertThat(errors.record("a")).isTrue();
    }

    @Test
    void shouldForgetTheOldestWhenThereAreTooMany() {
        for (int i = 0; i < 65; i++) {
            errors.record("error " + i);
        }
        assertThat(errors.record("error 64")).isFalse();
        assertThat(errors.record("error 0")).isTrue();
        assertThat(errors.total()).isEqualTo(67);
    }
}
