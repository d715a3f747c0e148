// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {

    @ParameterizedTest
    @CsvSource({
        "'', '', 0",
        "'', abc, 3",
        "abc, '', 3",
        "kitten, sitting, 3",
        "interval, intervall, 1",
        "hold-back, holdback, 1",
        "flaw, lawn, 2"
    })
    void shouldCountEditsWhenNamesDiffer(String from, String to, int distance) {
        assertThat(NearestName.distance(from, to)).isEqualTo(distance);
    }

    @ParameterizedTest
    @CsvSource({"sched_swich, sched_switch", "markr, marker", "nosuch, ''", "x, ''", "udp, ''"})
    void shouldNotGuessWhenNothingIsNear(String name, String near) {
        assertThat(NearestName.near(name, List.of("marker", "sched_switch", "udp_rcv"))
                        .orElse(""))
                .isEqualTo(near);
        assertThat(NearestName.near(name, List.of())).isEmpty();
    }

    @Test
    void shouldFindTheNearestWhenThereAreSeveral() {
        assertThat(NearestName.of("bufer_size", List.of("watermark", "buffer-size", "hold-back")))
                .isEqualTo("buffer-size");
    }
}
