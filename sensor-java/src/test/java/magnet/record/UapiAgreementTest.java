// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import magnet.testing.UapiHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernel's header and this package must say the same. */
final class UapiAgreementTest {
    private static final UapiHeader HEADER = UapiHeader.read();
    private static final Set<String> HEADER_STRUCTS = Set.of("magnet_record", "magnet_record_classic");

    @Test
    void shouldKnowTheSameEventsWithTheSameIds() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (EventType type : EventType.values()) {
            java.put("MAGNET_EVENT_" + type.name(), (long) type.id());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_event"));
    }

    @Test
    void shouldKnowTheSameLayouts() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (RecordLayout layout : RecordLayout.values()) {
            java.put("MAGNET_LAYOUT_" + layout.name(), (long) layout.abiValue());
        }
        assertThat(java).containsExactlyInAnyOrderEntriesOf(HEADER.enumeration("magnet_layout"));
    }

    @Test
    void shouldKnowTheSameCounters() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            java.put("MAGNET_COUNTER_" + counter.name(), (long) counter.bit());
            assertThat(Counter.ofBits(counter.bit())).containsExactly(counter);
        }
        assertThat(java).containsExactlyEntriesOf(HEADER.enumeration("magnet_counter"));
        assertThat(Counter.bits(Counter.ofBits(0xff))).isEqualTo(0xff);
        assertThat(Counter.ofBits(0x100)).isEmpty();
    }

    @Test
    void shouldKnowTheSameModesOfCpus() {
        Map<String, Long> java = new LinkedHashMap<>();
        for (CpuMode mode : CpuMode.values()) {
            java.put("MAGNET_CPU_" + mode.name(), (long) mode.number());
            assertThat(CpuMode.ofNumber(mode.number())).isEqualTo(mode);
        }
        assertThat(java).containsExactlyEntriesOf(HEADER.enumeration("magnet_cpu_mode"));
        assertThat(CpuMode.ofNumber(java.size())).isNull();
    }

    @Test
    void shouldHaveTheWideHeader() {
        UapiHeader.Struct struct = HEADER.struct("magnet_record");
        assertThat(RecordLayout.WIDE.headerSize()).isEqualTo(struct.size());
        assertThat(RecordFlyweight.WIDE_SIZE_OFFSET).isEqualTo(struct.offset("size"));
        assertThat(RecordFlyweight.WIDE_CPU_OFFSET).isEqualTo(struct.offset("cpu"));
        assertThat(RecordFlyweight.WIDE_EVENT_OFFSET).isEqualTo(struct.offset("event"));
        assertThat(RecordFlyweight.WIDE_TGID_OFFSET).isEqualTo(struct.offset("tgid"));
        assertThat(RecordFlyweight.WIDE_TID_OFFSET).isEqualTo(struct.offset("tid"));
        assertThat(RecordFlyweight.WIDE_ABSTRACT_ID_OFFSET).isEqualTo(struct.offset("abstract_id"));
        assertThat(RecordFlyweight.WIDE_TIMER_OFFSET).isEqualTo(struct.offset("timer"));
        assertThat(RecordLayout.WIDE.firstDynamicEvent()).isEqualTo(HEADER.value("MAGNET_EVENT_DYNAMIC_WIDE"));
    }

    @Test
    void shouldHaveTheClassicHeader() {
        UapiHeader.Struct struct = HEADER.struct("magnet_record_classic");
        assertThat(RecordLayout.CLASSIC.headerSize()).isEqualTo(struct.size());
        assertThat(RecordFlyweight.CLASSIC_HEADER_OFFSET).isEqualTo(struct.offset("header"));
        assertThat(RecordFlyweight.CLASSIC_PID_OFFSET).isEqualTo(struct.offset("pid"));
        assertThat(RecordFlyweight.CLASSIC_ABSTRACT_ID_OFFSET).isEqualTo(struct.offset("abstract_id"));
        assertThat(RecordFlyweight.CLASSIC_TIMER_OFFSET).isEqualTo(struct.offset("timer"));
        assertThat(RecordFlyweight.CLASSIC_CPU_BITS).isEqualTo(HEADER.value("MAGNET_CLASSIC_CPU_BITS"));
        assertThat(RecordFlyweight.CLASSIC_EVENT_SHIFT).isEqualTo(HEADER.value("MAGNET_CLASSIC_EVENT_SHIFT"));
        assertThat(RecordFlyweight.CLASSIC_EVENT_BITS).isEqualTo(HEADER.value("MAGNET_CLASSIC_EVENT_BITS"));
        assertThat(RecordFlyweight.CLASSIC_SIZE_SHIFT).isEqualTo(HEADER.value("MAGNET_CLASSIC_SIZE_SHIFT"));
        assertThat(RecordLayout.CLASSIC.cpuCount()).isEqualTo(HEADER.value("MAGNET_CLASSIC_CPUS"));
        assertThat(RecordLayout.CLASSIC.firstDynamicEvent()).isEqualTo(HEADER.value("MAGNET_EVENT_DYNAMIC_CLASSIC"));
    }

    @Test
    void shouldHaveTheSameLimits() {
        assertThat(RecordFlyweight.ALIGNMENT).isEqualTo(HEADER.value("MAGNET_RECORD_ALIGN"));
        assertThat(RecordFlyweight.SIZE_MAX).isEqualTo(HEADER.value("MAGNET_RECORD_SIZE_MAX"));
        assertThat(PayloadField.Type.CHAR16.size()).isEqualTo(HEADER.value("MAGNET_COMM_SIZE"));
        assertThat(PayloadField.Type.CHAR256.size()).isEqualTo(HEADER.value("MAGNET_CGROUP_PATH_SIZE"));
        assertThat(PayloadField.Type.CHAR128.size())
                .isEqualTo(HEADER.value("MAGNET_PATH_SIZE"))
                .isEqualTo(HEADER.value("MAGNET_ARGV_SIZE"));
        assertThat(Payload.SCHED_PREEMPTED).isEqualTo(HEADER.value("MAGNET_SCHED_PREEMPTED"));
    }

    @Test
    void shouldKnowEveryPayload() {
        Set<String> expected = new TreeSet<>(HEADER.structs());
        expected.removeAll(HEADER_STRUCTS);
        Set<String> known = new TreeSet<>();
        for (Payload payload : Payload.values()) {
            known.add(payload.struct());
        }
        known.remove(Payload.NONE.struct());
        assertThat(known).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldLayPayloadsOutAsTheCompilerDoes(Payload payload) {
        UapiHeader.Struct struct = HEADER.struct(payload.struct());
        List<String> expected = struct.members().stream()
                .filter(member -> !member.name().equals("reserved"))
                .map(member -> member.name() + ":" + member.size() + "@" + member.offset())
                .toList();
        assertThat(payload.size()).isEqualTo(struct.size());
        assertThat(payload.fields())
                .extracting(field -> field.name() + ":" + field.type().size() + "@" + field.offset())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameTheOffsetsOfHandlersForTheirFields(Payload payload) throws ReflectiveOperationException {
        for (PayloadField field : payload.fields()) {
            Field constant =
                    Payload.class.getField(payload.name() + "_" + field.name().toUpperCase(Locale.ROOT) + "_OFFSET");
            assertThat(constant.getInt(null)).as(constant.getName()).isEqualTo(field.offset());
        }
    }
}
