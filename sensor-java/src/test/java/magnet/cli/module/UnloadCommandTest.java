// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import magnet.cli.TestWorld;
import magnet.control.ControlSource;
import magnet.control.FakeModule;
import magnet.control.MagnetControl;
import magnet.os.Errno;
import magnet.os.OsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnloadCommandTest {
    private final FakeModule module = new FakeModule();
    private final List<String> removals = new ArrayList<>();

    @TempDir
    private Path folder;

    private static OsException error(Errno errno) {
        return new OsException("remove module magnet", errno.number());
    }

    @Test
    void shouldEndReadersFirstAndRemoveTheModuleWhenTheyClosed() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.modules = name -> {
            assertThat(module.wasAskedTo("SHUTDOWN")).isTrue();
            removals.add(name);
            if (removals.size() < 3) {
                throw error(Errno.EAGAIN);
            }
        };
        assertThat(world.run("unload")).isZero();
        assertThat(removals).containsExactly("magnet", "magnet", "magnet");
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldRemoveAModuleOfAnotherAbiThanItsOwn() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.control = new ControlSource() {
            @Override
            public MagnetControl open() throws IOException {
                throw new IOException("the kernel module speaks version 2 of the ABI, this program version 1");
            }

            @Override
            public MagnetControl openOfAnyAbi() throws IOException {
                return module.open();
            }
        };
        world.modules = removals::add;
        assertThat(world.run("unload")).isZero();
        assertThat(module.wasAskedTo("SHUTDOWN")).isTrue();
        assertThat(removals).containsExactly("magnet");
    }

    @Test
    void shouldSayWhoStillHasAFileOpen() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.addProcess(12, "cat", "cat", "/no/such/file", "/sys/kernel/debug/magnet/data/main/cpu0");
        world.addProcess(13, "reader", "reader", "/dev/magnet/main/cpu1");
        world.addProcess(14, "other", "other", "/no/such/file");
        world.addProcess((int) ProcessHandle.current().pid(), "java", "java", "/dev/magnet/main/cpu1");
        world.modules = name -> {
            throw error(Errno.EBUSY);
        };
        long[] now = {0};
        world.clock = () -> now[0] += 6_000_000_000L;
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith("magnet: the module is still in use")
                .contains("process 12 (cat) has /sys/kernel/debug/magnet/data/main/cpu0 open")
                .contains("process 13 (reader) has /dev/magnet/main/cpu1 open")
                .doesNotContain("(other)", "(java)");
    }

    @Test
    void shouldGuessWhenNobodyHasAFileOpen() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.modules = name -> {
            throw error(Errno.EAGAIN);
        };
        long[] now = {0};
        world.clock = () -> now[0] += 6_000_000_000L;
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("another module may depend on it");
    }

    @Test
    void shouldTakeAModuleThatWentMeanwhileForRemoved() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.modules = name -> {
            throw error(Errno.ENOENT);
        };
        assertThat(world.run("unload")).isZero();
    }

    @Test
    void shouldSayWhichRightIsMissing() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.modules = name -> {
            throw error(Errno.EPERM);
        };
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("CAP_SYS_MODULE");
    }

    @Test
    void shouldRemoveNothingWithoutTheRightToEndOthers() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().unprivileged());
        world.modules = removals::add;
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(removals).isEmpty();
        assertThat(world.errLines()).singleElement().asString().contains("CAP_PERFMON");
    }
}
