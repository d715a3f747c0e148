// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
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
        world.addProcess(15, "", "bytes", "/dev/magnet/main/cpu0");
        Files.write(world.processes.resolve("15/comm"), new byte[] {' ', (byte) 0xff, ' ', '\n'});
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
                .contains("process 15 ( \\xff ) has /dev/magnet/main/cpu0 open")
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
    void shouldEndNobodysReadingWithoutTheRightToRemove() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        giveSelf(world, "0000004000000000");
        world.modules = removals::add;
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: to remove the module takes CAP_SYS_MODULE: run it as root; nobody's reading was"
                                + " ended");
        assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();
        assertThat(removals).isEmpty();
    }

    @Test
    void shouldEndNobodysReadingWhereTheKernelRemovesNoModule() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        giveSelf(world, "000001ffffffffff");
        Path disabled = world.processes.resolve("sys/kernel/modules_disabled");
        Files.createDirectories(disabled.getParent());
        Files.writeString(disabled, "1\n");
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("modules_disabled is 1", "nobody's reading");
        assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();
        Files.writeString(disabled, "0\n");
        assertThat(world.run("unload")).isZero();
    }

    @Test
    void shouldEndNobodysReadingWhereOtherModulesNeedIt() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        Files.createDirectories(world.root.resolve("sys/module/magnet/holders/magnet_sample"));
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: other modules need it: remove them first (rmmod magnet_sample); nobody's reading"
                                + " was ended");
        assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();
    }

    private static void state(TestWorld world, int pid, String name, String state) throws IOException {
        Files.writeString(
                world.processes.resolve(pid + "/stat"), pid + " (" + name + ") " + state + " 1 12 -1 0 20 7\n");
    }

    @Test
    void shouldEndNobodysReadingWhereAReaderIsStopped() throws IOException {
        for (String state : List.of("T", "t")) {
            TestWorld world = new TestWorld(folder, module);
            world.addProcess(12, "cat", "cat", "/dev/magnet/main/cpu0");
            world.addProcess(13, "a) T 1", "x", "/dev/magnet/main/cpu1");
            world.addProcess(14, "other", "other", "/no/such/file");
            state(world, 12, "cat", state);
            state(world, 13, "a) T 1", "S");
            state(world, 14, "other", "T");
            world.modules = removals::add;
            assertThat(world.run("unload")).isEqualTo(1);
            assertThat(world.errLines())
                    .containsExactly("magnet: a reader is stopped and cannot close its file: process 12 (cat) has"
                            + " /dev/magnet/main/cpu0 open; let it go on (kill -CONT 12) or end it; nobody's reading was"
                            + " ended");
            assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();
            assertThat(removals).isEmpty();
            state(world, 12, "cat", "S");
            delete(world.processes);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** They do not end with the buffers. */
    @Test
    void shouldEndNobodysReadingWhereTheMarkerOrAControlFileIsOpen() throws IOException {
        for (String file : List.of(
                "/dev/magnet/marker", "/sys/kernel/debug/magnet/marker", "/sys/kernel/debug/magnet/control/events")) {
            TestWorld world = new TestWorld(folder, module);
            world.addProcess(11, "cat", "cat", "/dev/magnet/main/cpu0");
            world.addProcess(12, "app", "app", file);
            world.modules = removals::add;
            assertThat(world.run("unload")).isEqualTo(1);
            assertThat(world.errLines())
                    .containsExactly("magnet: a file is open whose reader nobody can tell to close it: process 12 (app)"
                            + " has " + file + " open; end that process; nobody's reading was ended");
            assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();
            delete(world.processes);
        }
        assertThat(removals).isEmpty();
    }

    @Test
    void shouldEndNobodysReadingWhereAReaderIsFrozen() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.addProcess(12, "cat", "cat", "/dev/magnet/main/cpu0");
        state(world, 12, "cat", "S");
        Files.writeString(world.processes.resolve("12/cgroup"), "0::/batch/job\n");
        Path group = Files.createDirectories(world.root.resolve("sys/fs/cgroup/batch/job"));
        Files.writeString(group.resolve("cgroup.events"), "populated 1\nfrozen 1\n");
        world.modules = removals::add;
        assertThat(world.run("unload")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("process 12 (cat)", "nobody's reading");
        assertThat(module.wasAskedTo("SHUTDOWN")).isFalse();

        Files.writeString(group.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
        assertThat(world.run("unload")).isZero();
        assertThat(removals).containsExactly("magnet");
    }

    @Test
    void shouldSayThatThereIsNothingToUnload() throws IOException {
        TestWorld world = new TestWorld(folder, module);
        world.control = new ControlSource() {
            @Override
            public MagnetControl open() throws IOException {
                return FakeModule.openWithout();
            }

            @Override
            public MagnetControl openOfAnyAbi() throws IOException {
                return FakeModule.openWithout();
            }
        };
        world.modules = removals::add;
        assertThat(world.run("unload")).isZero();
        assertThat(world.errLines()).containsExactly("magnet: nothing to unload: the module is not loaded");
        assertThat(removals).isEmpty();

        world.err.reset();
        Files.createDirectories(world.root.resolve("sys/module/magnet"));
        assertThat(world.run("unload")).as("it is just being loaded or removed").isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("the kernel module is not loaded");
    }

    private static void giveSelf(TestWorld world, String effective) throws IOException {
        Path self = Files.createDirectories(world.processes.resolve("self"));
        Files.writeString(self.resolve("status"), "Name:\tjava\nCapEff:\t" + effective + "\n");
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
