// SPDX-License-Identifier: Apache-2.0
package magnet.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

final class UapiHeaderTest {
    private static final UapiHeader HEADER = UapiHeader.of("""
            #define BITS	6
            #define COUNT	(1 << BITS)	/* 64 */
            #define BIG	(256 * 1024)
            #define MASK	((1ULL << 48) - 1)
            #define NAME	"magnet"
            /* enum not_this { A } */
            enum fruit {
                APPLE,
                PEAR	= 0x10, /* comment, with comma */
                PLUM,
                __FRUIT_MAX,
                FRUIT_MAX = __FRUIT_MAX - 1,
            };
            struct basket {
                __u32 weight;
                __u64 price;
                __u16 spare[3];
            };
            """);

    @Test
    void shouldEvaluateDefines() {
        assertThat(HEADER.value("COUNT")).isEqualTo(64);
        assertThat(HEADER.value("BIG")).isEqualTo(262144);
        assertThat(HEADER.value("MASK")).isEqualTo(0xffff_ffff_ffffL);
        assertThat(HEADER.string("NAME")).isEqualTo("magnet");
    }

    @Test
    void shouldNumberEnumsAsTheCompilerDoes() {
        assertThat(HEADER.enumeration("fruit"))
                .containsExactly(entry("APPLE", 0L), entry("PEAR", 16L), entry("PLUM", 17L));
        assertThat(HEADER.value("FRUIT_MAX")).isEqualTo(17);
    }

    @Test
    void shouldAlignStructMembers() {
        UapiHeader.Struct basket = HEADER.struct("basket");
        assertThat(basket.offset("weight")).isZero();
        assertThat(basket.offset("price")).isEqualTo(8);
        assertThat(basket.offset("spare")).isEqualTo(16);
        assertThat(basket.size()).isEqualTo(24);
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() {
        assertThatThrownBy(() -> HEADER.value("NOT_THERE")).hasMessageContaining("NOT_THERE");
        assertThatThrownBy(() -> UapiHeader.of("struct odd { char c; };")).hasMessageContaining("char c");
    }
}
