// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import org.junit.jupiter.api.DynamicTest;

/** A test program that reports in the kernel's form, KTAP: each of its tests becomes one of JUnit's. */
final class KtapProgram {
    private static final Pattern RESULT = Pattern.compile("(not ok|ok) \\d+ (\\S+).*");
    private static final Pattern CLOSING = Pattern.compile("\\d+ passed, 0 failed");

    private KtapProgram() {}

    /** Runs build/tools/{@code name} in the guest; one test for each of its results, and one for its end. */
    static Stream<DynamicTest> run(Guest guest, String name, Duration limit, String... arguments) {
        String[] command = Stream.concat(Stream.of("build/tools/" + name), Stream.of(arguments))
                .toArray(String[]::new);
        return results(guest.run(limit, command));
    }

    /** The same with a variable in its environment, {@code NAME=value}. */
    static Stream<DynamicTest> runWith(Guest guest, String variable, String name, Duration limit) {
        return results(guest.run(limit, "env", variable, "build/tools/" + name));
    }

    /** The tests of a program that has ended. */
    static Stream<DynamicTest> results(GuestResult result) {
        List<DynamicTest> tests = new ArrayList<>();
        List<String> comments = new ArrayList<>();
        for (String line : result.stdout().lines().toList()) {
            Matcher matcher = RESULT.matcher(line);
            if (matcher.matches()) {
                List<String> found = List.copyOf(comments);
                tests.add(DynamicTest.dynamicTest(
                        matcher.group(2),
                        () -> assertThat(matcher.group(1))
                                .as(String.join("\n", found))
                                .isEqualTo("ok")));
                comments.clear();
            } else {
                comments.add(line);
            }
        }
        tests.add(DynamicTest.dynamicTest("end", () -> {
            assertThat(result.stdout().lines().toList()).as("%s", result).anyMatch(CLOSING.asMatchPredicate());
            assertThat(result.exitCode()).as("%s", result).isZero();
        }));
        return tests.stream();
    }
}
