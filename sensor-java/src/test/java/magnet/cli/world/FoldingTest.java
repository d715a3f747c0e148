// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FoldingTest {
    @Test
    void shouldBreakAtSpacesAndHangWhatFollows() {
        assertThat(Folding.of("ok  java  a runtime that is new enough for it", 24, 10))
                .isEqualTo("ok  java  a runtime that\n          is new enough\n          for it");
        assertThat(Folding.of("short", 5, 2)).isEqualTo("short");
        assertThat(Folding.of("a".repeat(25), 10, 0)).isEqualTo("aaaaaaaaaa\naaaaaaaaaa\naaaaa");
        assertThat(Folding.of("long enough", Folding.NEVER, 4)).isEqualTo("long enough");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldLoseNothingAndNeverBeTooWide(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            while (text.length() < random.nextInt(300) + 1) {
                text.append("x".repeat(random.nextInt(40) + 1)).append(" ".repeat(random.nextInt(3)));
            }
            int columns = random.nextInt(100) + 1;
            String folded = Folding.of(text.toString(), columns, random.nextInt(60));
            assertThat(folded.lines())
                    .as("seed %d, %d columns", seed, columns)
                    .allMatch(line -> line.length() <= columns);
            assertThat(folded.replaceAll("\\s", "")).isEqualTo(text.toString().replaceAll("\\s", ""));
        }
    }

    @Test
    void shouldFoldTheLastColumnOfATable() {
        Table table = new Table("NAME", "FUNCTIONS")
                .row("a", "one two three four five six")
                .row("b", "-");
        assertThat(table.lines(30))
                .containsExactly("NAME  FUNCTIONS", "a     one two three four five", "      six", "b     -");
        assertThat(table.lines()).contains("a     one two three four five six");
    }

    @Test
    void shouldPutColumnsBelowWhereTheyDoNotFit() {
        Table table = new Table("POINT", ">HITS", ">COMMITTED", ">FILTERED").row("marker", 100, 90, 10);
        assertThat(table.lines(24))
                .containsExactly(
                        "POINT   HITS  COMMITTED",
                        "marker   100         90",
                        "",
                        "POINT   FILTERED",
                        "marker        10");
        assertThat(table.lines(3)).as("nothing is left out").anyMatch(line -> line.contains("90"));
        assertThat(new Table("ONE").row("x").lines(80)).containsExactly("ONE", "x");
    }
}
