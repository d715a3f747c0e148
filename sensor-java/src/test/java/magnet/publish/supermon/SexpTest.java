// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SexpTest {
    @Test
    void shouldSeparateAtomsAndListsByOneBlank() {
        Sexp sexp = new Sexp()
                .open()
                .atom("D")
                .open()
                .close()
                .open()
                .atom("user")
                .atom("1")
                .close()
                .hex(0x40)
                .close();
        assertThat(sexp).hasToString("(D () (user 1) 0x40)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eth0.1", "/dev/vda1", "a_b", "::1", "-12.5"})
    void shouldWriteBareWhatEveryReaderTakesBare(String atom) {
        assertThat(new Sexp().atom(atom)).hasToString(atom);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "(",
                "a\"b",
                "back\\slash",
                "it's",
                ";",
                "#b#4#",
                "gr\u00fc\u00df",
                "\ud83d\ude00"
            })
    void shouldQuoteTheRestSoThatItIsReadBack(String atom) {
        String text = new Sexp().open().atom(atom).close().toString();
        assertThat(SexpParser.list(text)).containsExactly(atom);
        assertThat(text).startsWith("(\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\0b", "a\u007fb", "a\u0085b", "a\ud83db"})
    void shouldWriteAQuestionMarkForWhatCannotBePrinted(String atom) {
        assertThat(SexpParser.list(new Sexp().open().atom(atom).close().toString()))
                .isEqualTo(List.of("a?b"));
    }
}
