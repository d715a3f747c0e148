// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestReaderTest implements RequestReader.Requests {
    private final List<String> asked = new ArrayList<>();
    private final RequestReader reader = new RequestReader();

    @Override
    public void sample(long mask) {
        asked.add("S" + Long.toHexString(mask));
    }

    @Override
    public void describe(long mask) {
        asked.add("#" + Long.toHexString(mask));
    }

    @Override
    public void reconnect() {
        asked.add("R");
    }

    @Override
    public void quit() {
        asked.add("Q");
    }

    private List<String> askedBy(String bytes) {
        asked.clear();
        for (byte each : bytes.getBytes(StandardCharsets.ISO_8859_1)) {
            reader.accept(each, this);
        }
        return List.copyOf(asked);
    }

    /** What the three known clients send: of CLISP's PRINT, of Los Alamos' Ruby, of Linux Labs' Python. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"\\n\"Sn\" |Sffffffffffffffff", "0x40S\\n|S40", "S\\r\\n|Sffffffffffffffff"})
    void shouldUnderstandTheKnownClients(String bytes, String expected) {
        String sent = bytes.replace("\\n", "\n").replace("\\r", "\r");
        assertThat(askedBy(sent)).containsExactly(expected);
    }

    @Test
    void shouldKeepAMaskUntilThereIsAnother() {
        assertThat(askedBy("0x1001S\n#S0x2\nS")).containsExactly("S1001", "#1001", "S1001", "S2");
        assertThat(askedBy("S0XFS")).containsExactly("S2", "Sf");
    }

    @Test
    void shouldWantNothingByAnEmptyMask() {
        assertThat(askedBy("0x0S")).containsExactly("S0");
    }

    @Test
    void shouldKeepTheMaskWhereNoDigitFollowsThePrefix() {
        assertThat(askedBy("0x7S0xS0x\nS")).containsExactly("S7", "S7", "S7");
    }

    @Test
    void shouldCountTheLastSixteenDigits() {
        assertThat(askedBy("0x123456789abcdef01S")).containsExactly("S23456789abcdef01");
    }

    @Test
    void shouldPassOverAllElse() {
        assertThat(askedBy("r\0\u00ffs 00xx 40 (x \"\n")).isEmpty();
        assertThat(askedBy("00x5S")).containsExactly("S5");
        assertThat(askedBy("RQ")).containsExactly("R", "Q");
    }
}
