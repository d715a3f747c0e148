// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Points that are inserted at run time, by the module's own test program, and beside bpftrace on the same functions. */
@GuestTest(turns = true)
final class DynamicPointsIT {
    private static final Duration LIMIT = Duration.ofMinutes(15);
    /** What {@code chmod} calls, and nobody else in the guest. */
    private static final String FUNCTION = "__x64_sys_fchmodat";

    private static final Pattern HITS = Pattern.compile(" hits (\\d+) committed (\\d+) .* missed (\\d+)");

    private final Guest guest;

    DynamicPointsIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> wide() {
        KernelModule.load(guest);
        return KtapProgram.runSkipping(
                Map.of("ids_run_out", "there are enough ids in layout wide"), guest, "test-dynamic", LIMIT);
    }

    @Tag("classic")
    @Tag("classic")
    @TestFactory
    Stream<DynamicTest> classicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-dynamic", LIMIT);
    }

    @TestFactory
    Stream<DynamicTest> patientHandlers() {
        KernelModule.load(guest);
        return KtapProgram.runBeside(guest, KernelModule.patient(guest.options().kernel()), "test-patient", LIMIT);
    }

    @Test
    void shouldCountWhatBpftraceCountsOnTheSameFunction() {
        KernelModule.load(guest);
        GuestProcess reader = guest.start(
                "build/tools/magnet-read",
                "-i",
                "f:" + FUNCTION,
                "-i",
                "p:" + FUNCTION + " $arg1",
                "-i",
                "r:" + FUNCTION + " $retval:s64",
                "-i",
                "t:sys_exit");
        guest.sh(
                        "until [ $(grep -c ' dynamic .*=on' /sys/kernel/debug/magnet/control/events) = 4 ]; do sleep 0.1; done")
                .orFail();

        guest.sh("echo 'for i in {1..53}; do chmod 600 /dev/null; done' >/tmp/calls")
                .orFail();

        List<String> probes = witnesses();
        String program = probes.stream()
                .map(probe -> probe + ":" + FUNCTION + " { @" + probe + " = count(); }")
                .collect(Collectors.joining(" "));
        GuestResult witness = guest.run(LIMIT, "bpftrace", "-e", program, "-c", "/bin/bash /tmp/calls");
        reader.signal("INT");
        String counters = reader.waitFor(LIMIT).orFail().stdout();

        assertThat(witness.orFail().stdout())
                .contains(probes.stream().map(probe -> "@" + probe + ": 53\n").toList());
        assertThat(witness.stdout() + witness.stderr()).doesNotContainPattern("(?i)lost|missed");
        assertThat(counters.lines()
                        .filter(line -> line.contains(FUNCTION.substring(2)))
                        .toList())
                .hasSize(3)
                .allSatisfy(line -> assertThat(numbers(line)).containsExactly(53L, 53L, 0L));
    }

    /** bpftrace's probes of a function's entry and return; those at its trampoline need BTF, which Debian's kernels have. */
    private List<String> witnesses() {
        return guest.options().looksForFaults()
                ? List.of("kprobe", "kretprobe")
                : List.of("kprobe", "kretprobe", "kfunc", "kretfunc");
    }

    private static List<Long> numbers(String line) {
        Matcher matcher = HITS.matcher(line);
        assertThat(matcher.find()).as(line).isTrue();
        return Stream.of(1, 2, 3)
                .map(group -> Long.parseLong(matcher.group(group)))
                .toList();
    }
}
