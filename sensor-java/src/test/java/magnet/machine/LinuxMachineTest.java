// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import magnet.summary.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxMachineTest {
    @TempDir
    private Path folder;

    private final AtomicLong clock = new AtomicLong();

    @Test
    void shouldNameSystemCallsOfItsArchitectureOnly() {
        LinuxMachine machine = machine("amd64");
        assertThat(machine.systemCallName(0)).isEqualTo("read");
        assertThat(machine.systemCallName(231)).isEqualTo("exit_group");
        assertThat(machine.systemCallName(1_000)).isEqualTo("call 1000");
        assertThat(machine("aarch64").systemCallName(0)).isEqualTo("io_setup");
        assertThat(machine("riscv64").systemCallName(0)).isEqualTo("call 0");
    }

    @Test
    void shouldNameReasonsAsTheModuleDoes() {
        assertThat(machine("amd64").dropReasons()).isEqualTo(Map.of(3, "NO_SOCKET"));
    }

    @Test
    void shouldNameAProcessWithAnyCharacterWhenItIsThere() throws IOException {
        process(7, "a) Z (\u00e9<&", 'S');
        assertThat(machine("amd64").processName(7)).isEqualTo("a) Z (\u00e9<&");
        assertThat(machine("amd64").processName(8)).isEmpty();
        process(9, " blanks ", 'S');
        assertThat(machine("amd64").processName(9)).isEqualTo(" blanks ");
    }

    @Test
    void shouldCountTheLivingWhenSomeAreZombies() throws IOException {
        process(1, "init", 'S');
        process(7, "a) Z (b", 'R');
        process(8, "dead", 'Z');
        process(9, "deader", 'X');
        Files.createDirectory(folder.resolve("self"));
        Files.createDirectory(folder.resolve("1gone"));
        assertThat(machine("amd64").processes()).isEqualTo(new Machine.Processes(1, 2, 2));
    }

    private void process(int id, String name, char state) throws IOException {
        Path process = Files.createDirectory(folder.resolve(String.valueOf(id)));
        Files.write(process.resolve("comm"), (name + "\n").getBytes(StandardCharsets.ISO_8859_1));
        Files.write(
                process.resolve("stat"),
                (id + " (" + name + ") " + state + " 1 1").getBytes(StandardCharsets.ISO_8859_1));
    }

    private LinuxMachine machine(String architecture) {
        return new LinuxMachine(
                folder, Map.of(3, "NO_SOCKET"), clock::incrementAndGet, architecture, folder.resolve("net"));
    }
}
