// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CgroupTreeTest {
    private static final String DEEP = "d".repeat(200);
    private static final int PATH_MAX = 4_096;

    @TempDir
    private Path root;

    private Path mount;

    @BeforeEach
    void make() throws IOException {
        mount = Files.createDirectories(root.resolve("sys/fs/cgroup"));
        Files.createFile(mount.resolve("cgroup.controllers"));
        Files.createDirectories(mount.resolve("system.slice/cron.service"));
        Files.createDirectories(mount.resolve("user.slice"));
    }

    /** JUnit follows no path that is too long. */
    @AfterEach
    void remove() throws IOException, InterruptedException {
        assertThat(run("rm -rf user.slice")).isZero();
    }

    private int run(String script) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-c", script)
                .directory(mount.toFile())
                .inheritIO()
                .start();
        assertThat(shell.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return shell.exitValue();
    }

    private static long inode(Path folder) throws IOException {
        return (Long) Files.getAttribute(folder, "unix:ino");
    }

    @Test
    void shouldTellAllCgroupsWithTheirIdsParentsFirst() throws IOException {
        Map<String, Long> ids = CgroupTree.ids(root).orElseThrow();

        assertThat(ids)
                .isEqualTo(Map.of(
                        "/", inode(mount),
                        "/system.slice", inode(mount.resolve("system.slice")),
                        "/system.slice/cron.service", inode(mount.resolve("system.slice/cron.service")),
                        "/user.slice", inode(mount.resolve("user.slice"))));
        List<String> paths = List.copyOf(ids.keySet());
        assertThat(paths).startsWith("/");
        assertThat(paths.indexOf("/system.slice")).isLessThan(paths.indexOf("/system.slice/cron.service"));
    }

    @Test
    void shouldBeEmptyWhenNoHierarchyIsMounted() throws IOException {
        Files.delete(mount.resolve("cgroup.controllers"));
        assertThat(CgroupTree.ids(root)).isEmpty();
    }

    /** A folder that is moved takes along what is in it, to where no path leads. */
    @Test
    void shouldLeaveOutWhatAUserHasNestedTooDeepForAPath() throws IOException, InterruptedException {
        Path upper = Files.createDirectories(mount.resolve("user.slice" + ("/" + DEEP).repeat(15)));
        Files.createDirectories(mount.resolve("lower" + ("/" + DEEP).repeat(15)));
        Files.move(mount.resolve("lower"), upper.resolve("lower"));
        Map<String, Long> ids = CgroupTree.ids(root).orElseThrow();

        assertThat(ids).containsKeys("/system.slice/cron.service", "/user.slice", "/user.slice/" + DEEP);
        assertThat(ids.keySet()).allSatisfy(path -> assertThat(path).hasSizeLessThan(PATH_MAX));
        assertThat(ids).hasSizeBetween(15, 25);
    }

    /** On a small stack. */
    @Test
    void shouldFollowAsManyNestedFoldersAsAPathCanHave() throws Exception {
        assertThat(run("cd user.slice; for i in $(seq 1500); do mkdir x; cd x; done"))
                .isZero();
        FutureTask<Optional<Map<String, Long>>> walk = new FutureTask<>(() -> CgroupTree.ids(root));
        new Thread(null, walk, "small stack", 128 * 1024).start();

        assertThat(walk.get(10, TimeUnit.MINUTES).orElseThrow())
                .containsKey("/user.slice" + "/x".repeat(1_500))
                .hasSize(4 + 1_500);
    }
}
