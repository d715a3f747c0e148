// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventTypeTest {
    @ParameterizedTest
    @EnumSource
    void shouldBeFoundByItsId(EventType type) {
        assertThat(EventType.ofId(type.id())).isSameAs(type);
        assertThat(EventType.payloadSizeOf(type.id())).isEqualTo(type.payload().leastSize());
        assertThat(type.fields()).isSameAs(type.payload().fields());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 0x3fd, 0x400, 0xffff, Integer.MAX_VALUE})
    void shouldNotKnowOtherIds(int id) {
        assertThat(EventType.ofId(id)).isNull();
    }

    @Test
    void shouldBeCalledAsInTheKernel() {
        assertThat(EventType.SCHED_PROCESS_FORK.label()).isEqualTo("sched_process_fork");
        assertThat(EventType.SCHED_PROCESS_FORK.subsystem().label()).isEqualTo("sched");
        assertThat(EventType.SCHED_PROCESS_FORK.abstractId()).isEqualTo("child_tid");
    }

    @Test
    void shouldRefuseAnUnknownLayout() {
        assertThat(RecordLayout.ofAbiValue(1)).isEqualTo(RecordLayout.CLASSIC);
        assertThatThrownBy(() -> RecordLayout.ofAbiValue(2)).hasMessageContaining("value=2");
        assertThatThrownBy(() -> RecordLayout.ofAbiValue(-1)).hasMessageContaining("value=-1");
    }

    @ParameterizedTest
    @EnumSource
    void shouldDescribeEveryField(Payload payload) {
        assertThat(payload.fields()).allSatisfy(field -> {
            assertThat(field.meaning()).isNotBlank();
            assertThat(field.offset() % field.type().alignment()).isZero();
            assertThat(field.offset() + field.type().size()).isLessThanOrEqualTo(payload.size());
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveATitle(Subsystem subsystem) {
        assertThat(subsystem.title()).isNotBlank();
    }
}
