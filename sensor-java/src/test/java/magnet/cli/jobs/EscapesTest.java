// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.os.OsException;
import magnet.testing.CgroupFolders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EscapesTest {
    private static final int START = 51_234;

    @TempDir
    private Path root;

    private TestWorld world;
    private Path home = Path.of("");
    private long homeId;
    private final List<Integer> killed = new ArrayList<>();

    @BeforeEach
    void make() throws IOException {
        world = new TestWorld(root, new FakeModule());
        CgroupFolders folders = CgroupFolders.unified(root);
        home = folders.group("/batch/render");
        homeId = (Long) Files.getAttribute(home, "unix:ino");
        folders.group("/batch/render/part");
        folders.group("/elsewhere");
        process(812, "/batch/render", START);
        process(815, "/batch/render/part", START);
        process(816, "/elsewhere", START);
    }

    private void process(int pid, String cgroup, long start) throws IOException {
        Path folder = Files.createDirectories(root.resolve("proc").resolve(Integer.toString(pid)));
        Files.writeString(folder.resolve("cgroup"), "0::" + cgroup + "\n");
        Files.writeString(folder.resolve("stat"), pid + " (a b) S" + " 0".repeat(18) + " " + start + " 0\n");
    }

    private Gtrace gtrace() {
        return new Gtrace() {
            @Override
            public List<GtraceTask> tasks() {
                return List.of(new GtraceTask(
                        "render",
                        "run",
                        0,
                        homeId,
                        List.of(
                                new GtraceTask.Node(812, 0, START, "blender"),
                                new GtraceTask.Node(815, 812, START, "tee"),
                                new GtraceTask.Node(816, 812, START, "ffmpeg"),
                                new GtraceTask.Node(999, 812, START, "gone"))));
            }

            @Override
            public void order(String order) {
                throw new AssertionError(order);
            }
        };
    }

    private Escapes escapes(EscapeAction action, boolean json, Set<String> tasks) {
        return new Escapes(world.world(), gtrace(), tasks, action, json, (pid, meant) -> {
            killed.add(pid);
            return meant.getAsBoolean();
        });
    }

    private String moved() throws IOException {
        return Files.readString(home.resolve("cgroup.procs"));
    }

    @Test
    void shouldReturnWhoIsOutsideAndNobodyElse() throws IOException {
        Escapes escapes = escapes(EscapeAction.RETURN, false, Set.of());

        escapes.look();

        assertThat(moved()).isEqualTo("816");
        assertThat(world.outLines())
                .containsExactly("returned 816 (ffmpeg) of gtrace:render from /elsewhere to /batch/render");
        assertThat(killed).isEmpty();
        escapes.look();
        assertThat(escapes.count()).as("it has been moved out again").isEqualTo(2);
    }

    @Test
    void shouldKill() throws IOException {
        escapes(EscapeAction.KILL, true, Set.of("render")).look();

        assertThat(killed).containsExactly(816);
        assertThat(moved()).isEmpty();
        assertThat(world.outLines())
                .containsExactly("{\"job\": \"gtrace:render\", \"pid\": 816, \"program\": \"ffmpeg\","
                        + " \"cgroup\": \"/elsewhere\", \"home\": \"/batch/render\", \"action\": \"kill\"}");
    }

    @Test
    void shouldTellEachPlaceOnce() throws IOException {
        Escapes escapes = escapes(EscapeAction.TELL, false, Set.of());
        escapes.look();
        escapes.look();
        process(816, "/batch/render", START);
        escapes.look();
        process(816, "/elsewhere", START);
        escapes.look();

        assertThat(world.outLines())
                .hasSize(2)
                .containsOnly("saw 816 (ffmpeg) of gtrace:render in /elsewhere, outside of /batch/render");
        assertThat(escapes.count()).isEqualTo(2);
    }

    @Test
    void shouldLeaveOtherTasksAndOtherProcessesOfTheNumberAlone() throws IOException {
        escapes(EscapeAction.RETURN, false, Set.of("other")).look();
        process(816, "/elsewhere", START + 1);
        escapes(EscapeAction.RETURN, false, Set.of()).look();

        assertThat(moved()).isEmpty();
        assertThat(world.outLines()).isEmpty();
    }

    /** All who were in it have left it, and somebody has removed it. */
    @Test
    void shouldKillWhoHasLeftACgroupThatHasGone() throws IOException {
        Escapes escapes = escapes(EscapeAction.KILL, false, Set.of());
        escapes.look();
        killed.clear();
        Files.delete(home.resolve("part/cgroup.procs"));
        Files.delete(home.resolve("part"));
        Files.delete(home.resolve("cgroup.procs"));
        Files.delete(home);
        process(812, "/elsewhere", START);
        process(815, "/elsewhere", START);

        escapes.look();

        assertThat(killed).containsExactly(812, 815, 816);
    }

    @Test
    void shouldSayWhichTasksHaveNotBegun() throws IOException {
        escapes(EscapeAction.TELL, false, Set.of("render", "rendr")).tellMissing();
        escapes(EscapeAction.TELL, false, Set.of()).tellMissing();

        assertThat(world.errLines()).containsExactly("magnet: no task is called 'rendr' now; one that begins is kept");
    }

    @Test
    void shouldSayOnceWhatItCannotDo() throws IOException {
        Escapes escapes = new Escapes(world.world(), gtrace(), Set.of(), EscapeAction.KILL, false, (pid, meant) -> {
            throw new OsException("pidfd_send_signal " + pid, 1);
        });

        escapes.look();
        escapes.look();

        assertThat(world.errLines())
                .containsExactly("magnet: cannot kill 816 (ffmpeg) of gtrace:render in /elsewhere, outside of"
                        + " /batch/render: pidfd_send_signal 816: Operation not permitted (EPERM)");
        assertThat(escapes.count()).isZero();
    }
}
