// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DynamicFormatTest {
    /** Offsets are those that {@code control/format} has, without the header. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "p:vfs_read+0x10 | 0 |",
                "f:vfs_read $arg3 | 8 | arg3:u64@0",
                "f:vfs_read  low=$arg3:u8 count=$arg3:u32 | 8 | low:u8@0 count:u32@4",
                "f:do_filp_open name=+0(+0($arg2)):string | 64 | name:char[64]@0",
                "f:a x=$arg1:s8 name=+0($arg2):char[24] y=$arg1:s16 | 34 | x:s8@0 name:char[24]@8 y:s16@32",
                "r:vfs_read | 8 | latency:u64@0",
                "r12:vfs_read $retval:s64 | 16 | latency:u64@0 retval:s64@8",
                "r:vfs_read n=$retval:s32 size=$arg3 | 24 | latency:u64@0 n:s32@8 size:u64@16",
                "p:tcp_sendmsg %di:x64 +8(%si):u16 -4(%si):u16 | 12 | di:x64@0 field2:u16@8 field3:u16@10",
                "r:vfs_read +0($arg2):u8 | 9 | latency:u64@0 field1:u8@8",
                "t:sched_waking $arg1 | 8 | arg1:u64@0",
                "p:ext4:ext4_sync_file | 0 |",
            })
    void shouldPlaceFieldsAsTheKernelDoes(String definition, int size, String fields) throws DefinitionException {
        EventFormat format = EventFormat.ofDefinition(0x400, "name", definition);
        assertThat(format.size()).isEqualTo(size);
        assertThat(format.fields().stream()
                        .map(field -> field.name() + ":" + field.type() + "@" + field.offset())
                        .collect(Collectors.joining(" ")))
                .isEqualTo(fields == null ? "" : fields);
        assertThat(format.id()).isEqualTo(0x400);
        assertThat(format.tail()).isEqualTo(EventFormat.Tail.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x:vfs_read | a definition is p:, r:, f: or t:",
                "p: | a definition is p:, r:, f: or t:",
                "pp:vfs_read | a definition is p:, r:, f: or t:",
                "r1x:vfs_read | a definition is p:, r:, f: or t:",
                "f:vfs_read count | a field is [name=]$argN",
                "f:vfs_read a= | a field is [name=]$argN",
                "f:vfs_read $ | a field is [name=]$argN",
                "f:vfs_read 1a=$arg1 | a field's name is letters",
                "f:vfs_read =$arg1 | a field's name is letters",
                "f:vfs_read a=$arg1:u7 | a type is u8 to u64",
                "f:vfs_read a=$arg1: | a type is u8 to u64",
                "f:vfs_read a=$arg1:char[7] | a type is u8 to u64",
                "f:vfs_read a=$arg1:char[256] | a type is u8 to u64",
                "f:vfs_read a=$arg1:char[0] | a type is u8 to u64",
                "f:vfs_read a=$arg1 a=$arg2 | two fields have the same name",
                "r:vfs_read latency=$arg1 | two fields have the same name",
                "f:a a=+0($arg1):char[248] b=$arg1 c=$arg1:u8 | the fields take more than 256 bytes",
            })
    void shouldRefuseWhatTheKernelWouldRefuse(String definition, String message) {
        assertThatThrownBy(() -> EventFormat.ofDefinition(0, "", definition))
                .isInstanceOf(DefinitionException.class)
                .hasMessageContaining(message);
    }

    @Test
    void shouldRefuseTooMuch() {
        String fields =
                IntStream.range(0, 17).mapToObj(i -> " f" + i + "=$arg1:u8").collect(Collectors.joining());
        assertThatThrownBy(() -> EventFormat.ofDefinition(0, "", "f:vfs_read" + fields))
                .hasMessageContaining("no more than 16 fields");
        assertThatThrownBy(() -> EventFormat.ofDefinition(0, "", "f:" + "x".repeat(510)))
                .hasMessageContaining("at most 511 characters");
    }

    @Test
    void shouldTellDefinitionsFromNames() {
        assertThat(EventFormat.isDefinition("udp_sendmsg")).isFalse();
        assertThat(EventFormat.isDefinition("f:udp_sendmsg")).isTrue();
    }
}
