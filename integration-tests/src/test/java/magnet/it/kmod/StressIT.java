// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Everything at once, with NMIs from QEMU's monitor on top: nothing is lost unseen. Without apic_extnmi only the first CPU
 * takes them. arm64 has none.
 */
@GuestTest(append = "apic_extnmi=all")
final class StressIT {
    private static final Duration START_AND_END = Duration.ofMinutes(8);
    private static final int NMI_MS = 50;

    private final Guest guest;

    StressIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest);
        if (!guest.options().isArm64()) {
            guest.run("insmod", KernelModule.nmi(guest.options().kernel()).toString())
                    .orFail();
        }
    }

    @AfterEach
    void remove() {
        if (!guest.options().isArm64()) {
            guest.run("rmmod", "magnet_nmi").orFail();
        }
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> minute() throws IOException, InterruptedException {
        return stress(Duration.ofMinutes(1));
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> hour() throws IOException, InterruptedException {
        return stress(Duration.ofHours(1));
    }

    private Stream<DynamicTest> stress(Duration duration) throws IOException, InterruptedException {
        String seconds = String.valueOf(duration.toSeconds());
        if (guest.options().isArm64()) {
            return KtapProgram.run(guest, "test-stress", duration.plus(START_AND_END), "-d", seconds);
        }
        Path files = Files.createDirectory(guest.share().resolve("nmi-" + seconds));
        GuestProcess program = guest.start("env", "MAGNET_NMI=" + files, "build/tools/test-stress", "-d", seconds);
        try (SavedOutput saved = new SavedOutput(program, "stress-" + duration.toSeconds() + ".log")) {
            sendNmis(program, files);
            return KtapProgram.results(saved.waitFor(duration.plus(START_AND_END)));
        }
    }

    /** From when the program has said so until it has had enough. */
    private void sendNmis(GuestProcess program, Path files) throws IOException, InterruptedException {
        while (program.isAlive() && !Files.exists(files.resolve("end"))) {
            if (Files.exists(files.resolve("begin"))) {
                guest.monitor("nmi");
            }
            Thread.sleep(NMI_MS);
        }
        monitorHasDoneAll(program);
        Files.createFile(files.resolve("ended"));
    }

    /** The monitor does one command after the other, and answers this one. */
    private void monitorHasDoneAll(GuestProcess program) throws IOException, InterruptedException {
        long before = monitorAnswers();
        guest.monitor("info status");
        while (program.isAlive() && monitorAnswers() == before) {
            Thread.sleep(NMI_MS);
        }
    }

    private long monitorAnswers() throws IOException {
        Path log = guest.console().resolveSibling("monitor.log");
        return Files.exists(log)
                ? Files.readAllLines(log).stream()
                        .filter(line -> line.startsWith("VM status"))
                        .count()
                : 0;
    }
}
