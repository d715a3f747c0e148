// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SexpReaderTest {
    static List<String> read(String bytes) throws MalformedSexpException {
        SexpReader reader = new SexpReader(64, 4);
        List<String> expressions = new ArrayList<>();
        for (byte each : bytes.getBytes(StandardCharsets.ISO_8859_1)) {
            String expression = reader.accept(each);
            if (expression != null) {
                expressions.add(expression);
            }
        }
        return expressions;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "()|()",
                "( a  b\\n\\t(c)d )|(a b (c) d)",
                "(a\"b c\" d)|(a \"b c\" d)",
                "(\"b c\"d)|(\"b c\" d)",
                "(\"\\\\\")\" x)|(\"\\\\\")\" x)",
                "(a;b)\\n;;\\nc)|(a;b)",
                "(a ;b)\\n;;\\nc)|(a c)",
                "(# 'x)|(# 'x)",
            })
    void shouldFindAnExpressionInOneForm(String bytes, String expected) throws MalformedSexpException {
        String sent = bytes.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
        List<String> read = read(sent.startsWith("(a;b") ? sent.substring(0, 5) : sent);
        assertThat(read).containsExactly(expected.replace("\\\\", "\\"));
    }

    @Test
    void shouldFindSeveralExpressionsAndWhatIsInNoList() throws MalformedSexpException {
        assertThat(read("(a)(b) c \"d e\"(f)g(h")).containsExactly("(a)", "(b)", "c", "\"d e\"", "(f)", "g");
    }

    @Test
    void shouldNeverHandOnALineEnd() throws MalformedSexpException {
        assertThat(read("(\"a\n\n\" b\u0000\u007f)")).containsExactly("(\"a??\" b??)");
    }

    @ParameterizedTest
    @ValueSource(strings = {")", "(a))", "(((((", "a)"})
    void shouldRefuseWhatIsNone(String bytes) {
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(MalformedSexpException.class);
    }

    @Test
    void shouldRefuseWhatIsTooLongAndTakeBlanksWithoutEnd() throws MalformedSexpException {
        assertThat(read("(" + "a".repeat(62) + ")")).hasSize(1);
        assertThatThrownBy(() -> read("(" + "a".repeat(63) + ")"))
                .isInstanceOf(MalformedSexpException.class)
                .hasMessage("more than 64 bytes in one expression");
        assertThat(read("\n".repeat(1_000) + ";" + "x".repeat(1_000) + "\n()")).containsExactly("()");
    }

    @Test
    void shouldRefuseTooManyElementsInOneExpressionAndCountAnewInTheNext() throws MalformedSexpException {
        SexpReader reader = new SexpReader(64, 4, 4);
        for (char each : "(a (b))(a (b))x y ".toCharArray()) {
            reader.accept((byte) each);
        }
        assertThatThrownBy(() -> {
                    for (char each : "(a (b c))".toCharArray()) {
                        reader.accept((byte) each);
                    }
                })
                .isInstanceOf(MalformedSexpException.class)
                .hasMessage("more than 4 elements in one expression");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "((nodes 1))|true",
                "((a 0x1 0 ((U b))) (nodes 17))|true",
                "(nodes 1)|false",
                "()|false",
                "nodes|false",
                "((nodes 1) x)|false",
                "(x (nodes 1 y))|true",
                "((x (nodes 1)))|false",
                "((x (nodes 1) y))|false",
                "((nodes 1) (x))|false",
                "(x (nodes))|false",
                "(x \"(nodes 1))\")|false",
                "(\"(nodes 1)\")|false",
            })
    void shouldTellADescriptionByItsLastElement(String answer, boolean description) {
        assertThat(ChildRecord.isDescription(answer)).isEqualTo(description);
    }

    @Test
    void shouldTakeListsApart() {
        assertThat(SexpText.elements("(a (b c) \"d \\\" )\" x'y ())"))
                .containsExactly("a", "(b c)", "\"d \\\" )\"", "x'y", "()");
        assertThat(SexpText.elements("()")).isEmpty();
        assertThat(SexpText.elements("atom")).isEmpty();
        assertThat(SexpText.value("\"a\\\"b\\\\\"")).isEqualTo("a\"b\\");
        assertThat(SexpText.value("a")).isEqualTo("a");
    }
}
