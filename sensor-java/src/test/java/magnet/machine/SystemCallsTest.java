// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The kernel's own headers are the witness, as linux-libc-dev has them on each machine with a C compiler. */
final class SystemCallsTest {
    private static final Path HEADERS = Path.of("/usr/include/x86_64-linux-gnu/asm");
    private static final Path GENERIC = Path.of("/usr/include/asm-generic/unistd.h");
    private static final Pattern NUMBER = Pattern.compile("#define __NR(?:3264)?_(\\w+)\\s+(\\d+)\\s*");
    private static final Set<String> NO_CALLS = Set.of("syscalls", "arch_specific_syscall");
    /** Of the kernel that the headers of Debian 12 are of; newer ones have more. */
    private static final int NEWEST = 450;

    @Test
    void shouldNameCallsOfX86AsItsHeaderDoes() throws IOException {
        assertAgrees(SystemCalls.of("x86_64").own(), HEADERS.resolve("unistd_64.h"), 360);
        assertThat(SystemCalls.of("amd64")).isEqualTo(SystemCalls.of("x86_64"));
    }

    @Test
    void shouldNameCallsOfItsThirtyTwoBitProgramsAsTheirHeaderDoes() throws IOException {
        assertAgrees(SystemCalls.of("x86_64").compat(), HEADERS.resolve("unistd_32.h"), 430);
        assertThat(SystemCalls.of("x86_64").compat()).containsEntry(5, "open");
    }

    /** Its header is the one for all architectures that have no numbers of their own. */
    @Test
    void shouldNameCallsOfArm64AsTheGenericHeaderDoes() throws IOException {
        assertAgrees(SystemCalls.of("aarch64").own(), GENERIC, 300);
        assertThat(SystemCalls.of("aarch64").own()).containsEntry(56, "openat").containsEntry(79, "newfstatat");
        assertThat(SystemCalls.of("aarch64").compat()).isEmpty();
    }

    @Test
    void shouldKnowNoneOfOtherMachines() {
        for (String machine : new String[] {"", "riscv64", "i686"}) {
            assertThat(SystemCalls.of(machine)).isEqualTo(new SystemCalls(Map.of(), Map.of()));
        }
    }

    /** Calls with times of 64 bits, which machines of 64 bits have under other numbers. */
    private static boolean isOfThirtyTwoBits(Path header, Matcher matcher) {
        int number = Integer.parseInt(matcher.group(2));
        return header.equals(GENERIC) && number >= 403 && number <= 423;
    }

    private static void assertAgrees(Map<Integer, String> names, Path header, int least) throws IOException {
        Map<Integer, Set<String>> witness = numbers(header);
        assertThat(witness).hasSizeGreaterThan(least);
        witness.forEach((number, possible) -> {
            if (number <= NEWEST || names.containsKey(number)) {
                assertThat(possible).as(number + " in " + header).contains(names.get(number));
            }
        });
        assertThat(names.keySet()).as("no others").allMatch(number -> number > NEWEST || witness.containsKey(number));
    }

    /** Where a header has two names for a number, an architecture has one of them. */
    private static Map<Integer, Set<String>> numbers(Path header) throws IOException {
        Map<Integer, Set<String>> numbers = new TreeMap<>();
        for (String line : Files.readAllLines(header)) {
            Matcher matcher = NUMBER.matcher(line);
            if (matcher.matches() && !NO_CALLS.contains(matcher.group(1)) && !isOfThirtyTwoBits(header, matcher)) {
                // The generic header names it so where a machine has 64 bits.
                String name = matcher.group(1).equals("fstatat") ? "newfstatat" : matcher.group(1);
                numbers.computeIfAbsent(Integer.valueOf(matcher.group(2)), any -> new TreeSet<>())
                        .add(name);
            }
        }
        return numbers;
    }
}
