// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** CPUs that come and go while events flow, in a guest where more are possible than there are. */
@GuestTest(smp = 2, possibleCpus = 4)
final class HotplugIT {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final Pattern MARKER_OF_CPU = Pattern.compile(" marker: .*\\bcpu_id = (\\d+)");

    private final Guest guest;

    HotplugIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    /**
     * What the other tests stand on: two CPUs that are there and, where the kernel believes in them, two that may come. From
     * 6.9 on x86 does so only below a hypervisor that it knows, and an emulator is none.
     */
    @Test
    void shouldReckonWithCpusThatAreNotThere() {
        KernelModule.load(guest);
        assertThat(guest.read("/sys/devices/system/cpu/present")).isEqualTo("0-1\n");
        assertThat(guest.read("/sys/devices/system/cpu/possible"))
                .isEqualTo(believesInAbsentCpus() ? "0-3\n" : "0-1\n");
    }

    private boolean believesInAbsentCpus() {
        return List.of("6.1", "debug", "kcsan").contains(guest.options().kernel())
                || guest.run("dmesg").orFail().stdout().contains("Hypervisor detected: KVM");
    }

    /** Events of a CPU that comes up while a trace is written, for the first time since its buffer was made. */
    @Test
    void shouldTraceACpuThatComesUpLater() throws IOException {
        assertThat(traceOfLateCpu("", "until [ -s cpu1.raw ]; do kill -0 $reader || exit 1; sleep 0.1; done"))
                .containsExactlyInAnyOrderEntriesOf(Map.of("0", 3L, "1", 100L));
    }

    /** The same when the reader gets no chance to look before it is told to end. */
    @Test
    void shouldTraceACpuThatItSeesAtItsEnd() throws IOException {
        assertThat(traceOfLateCpu("kill -STOP $reader", ""))
                .containsExactlyInAnyOrderEntriesOf(Map.of("0", 3L, "1", 100L));
    }

    /** Three markers on the first CPU and, when the second has come up, a hundred there: how many the trace has of each. */
    private Map<String, Long> traceOfLateCpu(String before, String after) throws IOException {
        Path folder = Files.createTempDirectory(guest.share(), "late-");
        KernelModule.load(guest);
        guest.sh(LIMIT, """
                        cd %s; online=/sys/devices/system/cpu/cpu1/online
                        echo 0 >$online
                        $MAGNET_ROOT/build/tools/magnet-read -p marker -c trace -o . >magnet.txt & reader=$!
                        until [ -e trace/cpu0 ]; do kill -0 $reader || exit 1; sleep 0.1; done
                        [ ! -e trace/cpu1 ] || exit 1
                        %s
                        for i in 1 2 3; do echo $i >/dev/magnet/marker; done
                        echo 1 >$online
                        taskset -c 1 bash -c 'for ((i = 0; i < 100; i++)); do echo $i >/dev/magnet/marker; done'
                        %s
                        kill -INT $reader; kill -CONT $reader
                        wait $reader || exit 1
                        babeltrace2 --no-delta trace >events.txt
                        """.formatted(folder, before, after)).orFail();
        assertThat(Files.readString(folder.resolve("magnet.txt"))).startsWith("marker hits 103 committed 103 ");
        return Files.readAllLines(folder.resolve("events.txt")).stream()
                .map(MARKER_OF_CPU::matcher)
                .filter(Matcher::find)
                .collect(Collectors.groupingBy(marker -> marker.group(1), Collectors.counting()));
    }

    @TestFactory
    Stream<DynamicTest> hotplug() {
        KernelModule.load(guest);
        return KtapProgram.run(guest, "test-hotplug", LIMIT);
    }

    @TestFactory
    @Tag("classic")
    Stream<DynamicTest> hotplugInLayoutClassicWithClockMono() {
        KernelModule.load(guest, "layout=classic", "clock=mono");
        return KtapProgram.run(guest, "test-hotplug", LIMIT);
    }
}
