// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whatever clients, servers and programs send is understood or refused, in bounded memory. Runs over the inputs in
 * SupermonFuzzTestInputs; with JAZZER_FUZZ=1 it makes its own.
 */
class SupermonFuzzTest {
    private static final int MOST_BYTES = 256;
    private static final int DEEPEST = 8;
    private static final Pattern REQUEST = Pattern.compile("0[xX]([0-9a-fA-F]*)|[S#RQ]");
    private static final int MASK_DIGITS = 16;

    /** Requests as they are understood byte for byte, and as a regular expression finds them in the whole. */
    @FuzzTest(maxDuration = "60s")
    void shouldFindTheSameRequestsInAnything(byte[] bytes) {
        List<String> asked = new ArrayList<>();
        RequestReader reader = new RequestReader();
        for (byte each : bytes) {
            reader.accept(each, new Asked(asked));
        }
        assertThat(asked).isEqualTo(requests(new String(bytes, StandardCharsets.ISO_8859_1)));
    }

    private record Asked(List<String> requests) implements RequestReader.Requests {
        @Override
        public void sample(long mask) {
            requests.add("S" + Long.toHexString(mask));
        }

        @Override
        public void describe(long mask) {
            requests.add("#" + Long.toHexString(mask));
        }

        @Override
        public void reconnect() {
            requests.add("R");
        }

        @Override
        public void quit() {
            requests.add("Q");
        }
    }

    private static List<String> requests(String text) {
        List<String> found = new ArrayList<>();
        long mask = -1;
        for (Matcher each = REQUEST.matcher(text); each.find(); ) {
            String digits = each.group(1);
            String command = each.group();
            if (digits == null) {
                boolean masked = command.equals("S") || command.equals("#");
                found.add(masked ? command + Long.toHexString(mask) : command);
            } else if (!digits.isEmpty()) {
                mask = Long.parseUnsignedLong(digits.substring(Math.max(0, digits.length() - MASK_DIGITS)), 16);
            }
        }
        return found;
    }

    /** Expressions of any kind: as samples, descriptions, and values that are handed in. */
    @FuzzTest(maxDuration = "60s")
    void shouldUnderstandOrRefuseExpressionsOfAnyKind(byte[] bytes) throws MalformedSexpException {
        SexpReader reader = new SexpReader(MOST_BYTES, DEEPEST);
        try {
            for (byte each : bytes) {
                String expression = reader.accept(each);
                if (expression != null) {
                    use(expression);
                }
            }
        } catch (MalformedSexpException e) {
            assertThat(e.getMessage()).matches("a \\) without its \\(|more than (8|256) .*");
        }
    }

    private static void use(String expression) throws MalformedSexpException {
        assertThat(expression).hasSizeLessThanOrEqualTo(MOST_BYTES).doesNotContain("\n", "\r", "\t");
        assertThat(again(expression)).isEqualTo(expression);
        assertThat(structure(expression)).isEqualTo(SexpParser.parse(expression).get(0));
        CategoryBits bits = new CategoryBits(ReplyFormat.LANL);
        List<ChildRecord> records = ChildRecord.parse(expression);
        StringBuilder sample = new StringBuilder("(");
        ChildRecord.write(sample, records, ~0L, bits);
        assertThat(SexpParser.list(sample.append(')').toString())).hasSizeLessThanOrEqualTo(records.size());
        bits.mask(1, ChildRecord.bits(expression));
        Descriptions descriptions = new Descriptions(bits);
        descriptions.add(expression);
        assertThat(SexpParser.list(descriptions.text(~0L))).isNotEmpty();
        handIn(expression);
    }

    private static String again(String expression) throws MalformedSexpException {
        SexpReader reader = new SexpReader(MOST_BYTES, DEEPEST);
        String read = null;
        for (char each : (expression + " ").toCharArray()) {
            String found = reader.accept((byte) each);
            read = found == null ? read : found;
        }
        return read;
    }

    private static Object structure(String expression) {
        return SexpText.isList(expression)
                ? SexpText.elements(expression).stream()
                        .map(SupermonFuzzTest::structure)
                        .toList()
                : SexpText.value(expression);
    }

    private static void handIn(String expression) {
        HandedIn values = new HandedIn(() -> 0);
        try {
            values.take("user", expression);
            Category category = values.category().orElseThrow();
            assertThat(SexpParser.list(ReplyFormat.LANL.sample(new SampledHost("n", 1), List.of(category))))
                    .hasSize(1);
        } catch (IOException e) {
            assertThat(e.getMessage().lines()).hasSize(1);
        }
    }
}
