// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against the C library's own. */
final class FilePatternTest {
    private static final int FNM_PERIOD = 4;
    private static final LibC C = Native.load("c", LibC.class);

    /** Of which only this function is needed. */
    public interface LibC extends Library {
        /** 0 if it matches. */
        int fnmatch(String pattern, String name, int flags);
    }

    @Test
    void shouldMatchWhateverTheCLibraryMatches() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int matched = 0;
        for (int i = 0; i < 200_000; i++) {
            String pattern = text(random, "aabbc[]!^-*?\\", 8);
            String name = text(random, "abc]-!", 4);
            boolean expected = C.fnmatch(pattern, name, FNM_PERIOD) == 0;
            matched += expected ? 1 : 0;
            assertThat(new FilePattern(pattern).matches(name))
                    .as("'%s' of '%s', seed %s", name, pattern, seed)
                    .isEqualTo(expected);
        }
        assertThat(matched).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @CsvSource({"*.conf,.a.conf", ".*,.a", ".*,a", "?a,.a", "[.]a,.a", "[!b]a,.a", "*,..", "a*,a.b"})
    void shouldTreatALeadingDotAsTheCLibraryDoes(String pattern, String name) {
        assertThat(new FilePattern(pattern).matches(name)).isEqualTo(C.fnmatch(pattern, name, FNM_PERIOD) == 0);
    }

    /** With a regular expression in its place this took longer than anybody waits. */
    @Test
    @Timeout(60)
    void shouldNotTakeForEverOverManyStars() {
        assertThat(new FilePattern("*a".repeat(2_000) + "b").matches("a".repeat(4_000)))
                .isFalse();
    }

    private static String text(Random random, String alphabet, int longest) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(longest + 1);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
