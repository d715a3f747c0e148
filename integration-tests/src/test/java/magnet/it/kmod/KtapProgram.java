// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import org.junit.jupiter.api.DynamicTest;

/**
 * A test program that reports in the kernel's form, KTAP: each of its tests becomes one of JUnit's. One that it skips
 * has failed, unless the caller knows of it.
 */
final class KtapProgram {
    private static final Pattern RESULT = Pattern.compile("(not ok|ok) \\d+ (\\S+)(?: # SKIP (.*)| .*)?");
    private static final Pattern CLOSING = Pattern.compile("\\d+ passed, 0 failed");

    /** Tests that are skipped on arm64, and why, in their words. */
    private static final Map<String, String> SKIPPED_ON_ARM64 = Map.of(
            "calls_of_32_bit_programs", "a 64-bit program makes no 32-bit calls on this processor",
            "jump_is_told_where_there_is_one", "this kernel puts no jump in place of a probe");

    private KtapProgram() {}

    /** Runs build/tools/{@code name} in the guest; one test for each of its results, and one for its end. */
    static Stream<DynamicTest> run(Guest guest, String name, Duration limit, String... arguments) {
        return results(output(guest, name, limit, arguments), everywhere(guest, Map.of()));
    }

    /** The same while a module of the tests is loaded from this file. */
    static Stream<DynamicTest> runBeside(Guest guest, Path module, String name, Duration limit) {
        guest.run("insmod", module.toString()).orFail();
        Stream<DynamicTest> tests = run(guest, name, limit);
        guest.run("rmmod", module.toString()).orFail();
        return tests;
    }

    /**
     * The same where some tests are skipped.
     *
     * @param skipped why, in the program's words, by the test's name; such a test must not run here either
     */
    static Stream<DynamicTest> runSkipping(Map<String, String> skipped, Guest guest, String name, Duration limit) {
        return results(output(guest, name, limit), everywhere(guest, skipped));
    }

    /** A test that is skipped on kernels that look for faults, and on no other. */
    static Map<String, String> whereFaultsAreLookedFor(Guest guest, String test, String why) {
        return guest.options().looksForFaults() ? Map.of(test, why) : Map.of();
    }

    private static Map<String, String> everywhere(Guest guest, Map<String, String> skipped) {
        Map<String, String> all = new HashMap<>(skipped);
        if (guest.options().isArm64()) {
            all.putAll(SKIPPED_ON_ARM64);
        }
        return all;
    }

    private static GuestResult output(Guest guest, String name, Duration limit, String... arguments) {
        String[] command = Stream.concat(Stream.of("build/tools/" + name), Stream.of(arguments))
                .toArray(String[]::new);
        return guest.run(limit, command);
    }

    /** The same with a variable in its environment, {@code NAME=value}. */
    static Stream<DynamicTest> runWith(Guest guest, String variable, String name, Duration limit) {
        return runWith(guest, variable, Map.of(), name, limit);
    }

    /** The same where some tests are skipped. */
    static Stream<DynamicTest> runWith(
            Guest guest, String variable, Map<String, String> skipped, String name, Duration limit) {
        return results(guest.run(limit, "env", variable, "build/tools/" + name), everywhere(guest, skipped));
    }

    /** The tests of a program that has ended, none of which was skipped. */
    static Stream<DynamicTest> results(GuestResult result) {
        return results(result, Map.of());
    }

    private static Stream<DynamicTest> results(GuestResult result, Map<String, String> skipped) {
        List<DynamicTest> tests = new ArrayList<>();
        List<String> comments = new ArrayList<>();
        for (String line : result.stdout().lines().toList()) {
            Matcher matcher = RESULT.matcher(line);
            if (matcher.matches()) {
                String found = String.join("\n", comments);
                tests.add(DynamicTest.dynamicTest(matcher.group(2), () -> {
                    assertThat(matcher.group(1)).as(found).isEqualTo("ok");
                    assertThat(matcher.group(3)).as("why it was skipped").isEqualTo(skipped.get(matcher.group(2)));
                }));
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
