// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WordsTest {
    /** The states of proc(5), behind each the kernel's constants that it is made of. */
    @ParameterizedTest
    @CsvSource({
        "0x0, runnable, R",
        "0x1, sleeping, TASK_INTERRUPTIBLE: S",
        "0x2001, sleeping, with TASK_FREEZABLE",
        "0x2, disk_sleep, TASK_UNINTERRUPTIBLE: D",
        "0x102, disk_sleep, TASK_KILLABLE",
        "0x1000, disk_sleep, TASK_RTLOCK_WAIT",
        "0x8000, disk_sleep, TASK_FROZEN",
        "0x104, stopped, TASK_STOPPED: T",
        "0x8, tracing_stop, TASK_TRACED: t",
        "0x10, dead, EXIT_DEAD: X",
        "0x20, zombie, EXIT_ZOMBIE: Z",
        "0x40, parked, TASK_PARKED: P",
        "0x80, dead, TASK_DEAD: X",
        "0x402, idle, TASK_IDLE: I",
        "0x2402, idle, with TASK_FREEZABLE",
        "0x80000000, preempted, R+",
        "0x80000001, preempted, whatever else",
    })
    void shouldNameTaskStatesAsProcDoes(String state, String word, String why) {
        assertThat(Words.common().of(WordKind.TASK_STATE, Long.decode(state)))
                .as(why)
                .isEqualTo(word);
    }

    @Test
    void shouldListTheStatesThatKernelsGive() {
        Map<Long, String> listed = Words.common().of(WordKind.TASK_STATE);
        assertThat(listed).hasSize(20).containsEntry(0x2102L, "disk_sleep").containsEntry(0x8000_0000L, "preempted");
        listed.forEach((number, word) ->
                assertThat(Words.common().of(WordKind.TASK_STATE, number)).isEqualTo(word));
    }

    @Test
    void shouldLeaveNumbersThatItDoesNotKnow() {
        assertThat(Words.common().of(WordKind.TASK_STATE, 0x200)).isNull();
        assertThat(Words.common().of(WordKind.FAMILY, 3)).isNull();
        assertThat(Words.common().of(WordKind.DROP_REASON, 2)).isNull();
        assertThat(Words.common().of(WordKind.GFP_FLAGS, 0xcc0)).isNull();
        assertThat(Words.common().of(WordKind.SYSTEM_CALL, 0)).isNull();
        assertThat(Words.none().of(WordKind.TASK_STATE, 1)).isNull();
        assertThat(Words.none().of(WordKind.PROTOCOL, 17)).isNull();
    }

    @Test
    void shouldNameWhatAllKernelsAgreeOn() {
        Words words = Words.common();
        assertThat(words.of(WordKind.FAMILY, 2)).isEqualTo("inet");
        assertThat(words.of(WordKind.FAMILY, 10)).isEqualTo("inet6");
        assertThat(words.of(WordKind.PROTOCOL, 6)).isEqualTo("tcp");
        assertThat(words.of(WordKind.PROTOCOL, 58)).isEqualTo("ipv6-icmp");
        assertThat(words.of(WordKind.ETHERTYPE, 0x86dd)).isEqualTo("ipv6");
        assertThat(words.of(WordKind.SOFTIRQ, 3)).isEqualTo("NET_RX");
        assertThat(words.of(WordKind.SOFTIRQ, 9)).isEqualTo("RCU");
        assertThat(words.of(WordKind.IRQ_RETURN, 1)).isEqualTo("handled");
        for (CpuMode mode : CpuMode.values()) {
            assertThat(words.of(WordKind.CPU_MODE, mode.number()))
                    .isEqualTo(mode.name().toLowerCase(Locale.ROOT));
        }
    }

    /** As the kernel's tracer prints flags: names of several bits first, and what is left in hex. */
    @Test
    void shouldNameFlagsAsTheKernelsTracerDoes() {
        Map<Integer, String> flags = new LinkedHashMap<>();
        flags.put(0xcc0, "GFP_KERNEL");
        flags.put(0xc00, "__GFP_RECLAIM");
        flags.put(0x40, "__GFP_IO");
        flags.put(0x40000, "__GFP_COMP");
        Words words = Words.common().with(WordKind.GFP_FLAGS, flags);
        assertThat(words.of(WordKind.GFP_FLAGS, 0xcc0)).isEqualTo("GFP_KERNEL");
        assertThat(words.of(WordKind.GFP_FLAGS, 0x40cc0)).isEqualTo("GFP_KERNEL|__GFP_COMP");
        assertThat(words.of(WordKind.GFP_FLAGS, 0xc40)).isEqualTo("__GFP_RECLAIM|__GFP_IO");
        assertThat(words.of(WordKind.GFP_FLAGS, 0x1000_0040)).isEqualTo("__GFP_IO|0x10000000");
        assertThat(words.of(WordKind.GFP_FLAGS, 0x1000_0000)).isEqualTo("0x10000000");
        assertThat(words.of(WordKind.GFP_FLAGS, 0)).isEqualTo("none");
    }

    @Test
    void shouldKeepTheFirstOfTwoWordsForANumber() {
        Map<Long, String> flags = new LinkedHashMap<>();
        flags.put(0x800L, "GFP_NOWAIT");
        flags.putIfAbsent(0x800L, "__GFP_KSWAPD_RECLAIM");
        assertThat(Words.common().with(WordKind.GFP_FLAGS, flags).of(WordKind.GFP_FLAGS, 0x800))
                .isEqualTo("GFP_NOWAIT");
    }

    @Test
    void shouldTellSystemCallsOfThirtyTwoBitProgramsApart() {
        Words words = Words.common()
                .with(WordKind.SYSTEM_CALL, Map.of(5, "fstat"))
                .with(WordKind.COMPAT_SYSTEM_CALL, Map.of(5, "open"));
        RecordWriter records = new RecordWriter()
                .record(EventType.SYS_ENTER, 0, 1, 1, 5, 1, 0, 0, 0, 0)
                .record(EventType.SYS_ENTER, 0, 1, 1, 5, 2, 0, 0, 0, 1)
                .record(EventType.SYS_EXIT, 0, 1, 1, 5, 3, 0, 1)
                .record(EventType.SYS_EXIT, 0, 1, 1, 6, 4, 0, 1)
                .record(EventType.IRQ_HANDLER_ENTRY, 0, 1, 1, 3, 5)
                .record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 6);
        StringBuilder said = new StringBuilder();
        new RecordCursor(RecordLayout.WIDE)
                .wrap(records.buffer(), 0, records.size())
                .forEach(record -> {
                    EventType type = Objects.requireNonNull(EventType.ofId(record.event()));
                    said.append(words.ofAbstractId(type, record)).append(' ');
                });
        assertThat(said).hasToString("fstat open open null null NET_RX ");
    }

    /** A kind that fields have is as wide as each of them. */
    @Test
    void shouldFitTheFieldsThatHaveThem() {
        for (Payload payload : Payload.values()) {
            for (PayloadField field : payload.fields()) {
                if (field.words() != WordKind.NUMBER) {
                    assertThat(field.words().field()).as(field.name()).isEqualTo(field.type());
                }
            }
        }
    }
}
