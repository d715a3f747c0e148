// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Set;
import magnet.json.Json;

/**
 * Whatever a gmetad answers, it is told, or refused in one line. Runs over the inputs in FleetFuzzTestInputs; with
 * JAZZER_FUZZ=1 it makes its own.
 */
final class FleetFuzzTest {
    @FuzzTest(maxDuration = "60s")
    void shouldTellOrRefuseWhenTheAnswerIsAnything(byte[] bytes) throws IOException {
        Fleet fleet;
        try {
            fleet = FleetJudge.judge(
                    FleetXml.read(new ByteArrayInputStream(bytes)), new ClusterChoice(Set.of(), Set.of(), Set.of()));
        } catch (AnswerException e) {
            assertOneLine(String.valueOf(e.getMessage()));
            return;
        }
        fleet.lines(Integer.MAX_VALUE, 40).forEach(FleetFuzzTest::assertOneLine);
        assertOneLine("x" + Json.of(fleet.asMap()).replaceAll("[^ -~]", "?"));
        if (fleet.ok() + fleet.warnings() + fleet.failed() != fleet.nodes() || fleet.lost() < 0) {
            throw new AssertionError("the sums are wrong: " + fleet);
        }
    }

    private static void assertOneLine(String line) {
        if (!line.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            throw new AssertionError("not one line that a terminal may show: " + line);
        }
    }
}
