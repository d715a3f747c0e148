// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CgroupHierarchyTest {
    private static final CgroupHierarchy FREEZER = new CgroupHierarchy("freezer");
    private static final CgroupHierarchy CPUACCT = new CgroupHierarchy("cpuacct");
    private static final String MOUNTS = """
            24 30 0:22 / /sys rw,nosuid - sysfs sysfs rw
            33 24 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
            34 33 0:28 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw,nsdelegate
            35 33 0:29 / /sys/fs/cgroup/systemd rw shared:10 - cgroup cgroup rw,xattr,name=systemd
            36 33 0:30 /docker/abc /mnt/inner rw - cgroup cgroup rw,freezer
            37 33 0:30 / /mnt/cgroup\\040of\\134it/freezer rw shared:11 master:2 - cgroup none rw,freezer
            38 33 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
            a line that is none
            """;

    @TempDir
    private Path root;

    private Path processes;

    @BeforeEach
    void make() throws IOException {
        processes = Files.createDirectories(root.resolve("proc"));
        Files.createDirectories(processes.resolve("self"));
        Files.writeString(processes.resolve("self/mountinfo"), MOUNTS);
    }

    private void watch(String hierarchy) throws IOException {
        Path parameters = Files.createDirectories(root.resolve("sys/module/magnet/parameters"));
        Files.writeString(parameters.resolve("job_hierarchy"), hierarchy + "\n");
    }

    private Path process(int number, String cgroups) throws IOException {
        Path process = Files.createDirectories(processes.resolve(String.valueOf(number)));
        Files.writeString(process.resolve("cgroup"), cgroups);
        return process;
    }

    @Test
    void shouldBeTheUnifiedOneUnlessTheModuleSaysOtherwise() throws IOException {
        assertThat(CgroupHierarchy.watched(root)).isEqualTo(CgroupHierarchy.UNIFIED);
        watch("unified");
        assertThat(CgroupHierarchy.watched(root).isUnified()).isTrue();
        watch("freezer");
        assertThat(CgroupHierarchy.watched(root)).isEqualTo(FREEZER);
        assertThat(CgroupHierarchy.watched(root).isUnified()).isFalse();
    }

    @Test
    void shouldFindWhereItIsMountedAsAWhole() throws IOException {
        assertThat(FREEZER.mount(root)).contains(root.resolve("mnt/cgroup of\\it/freezer"));
        assertThat(CPUACCT.mount(root)).contains(root.resolve("sys/fs/cgroup/cpu,cpuacct"));
        assertThat(new CgroupHierarchy("memory").mount(root)).isEmpty();
        assertThat(CgroupHierarchy.UNIFIED.mount(root)).isEmpty();
        Path unified = Files.createDirectories(root.resolve("sys/fs/cgroup/unified"));
        Files.createFile(unified.resolve("cgroup.controllers"));
        assertThat(CgroupHierarchy.UNIFIED.mount(root)).contains(unified);
        Files.delete(processes.resolve("self/mountinfo"));
        assertThat(FREEZER.mount(root)).isEmpty();
    }

    @Test
    void shouldTellWhereAProcessIsInEach() throws IOException {
        Path process = process(7, """
                12:freezer:/slurm/uid_1000/job_42/step_0
                5:cpu,cpuacct:/a:b
                1:name=systemd:/system.slice/slurmd.service
                0::/system.slice/slurmd.service
                """);

        assertThat(FREEZER.pathOf(CgroupHierarchy.places(process))).contains("/slurm/uid_1000/job_42/step_0");
        assertThat(CPUACCT.pathOf(CgroupHierarchy.places(process))).contains("/a:b");
        assertThat(CgroupHierarchy.UNIFIED.pathOf(CgroupHierarchy.places(process)))
                .contains("/system.slice/slurmd.service");
        assertThat(new CgroupHierarchy("memory").pathOf(CgroupHierarchy.places(process)))
                .isEmpty();
        assertThat(CgroupHierarchy.places(processes.resolve("8"))).isEmpty();
        assertThat(CgroupHierarchy.places(process(9, "nonsense\n::\n"))).hasSize(1);
    }

    @Test
    void shouldHaveTheTreeThatTheModuleWatches() throws IOException {
        Path freezer = root.resolve("mnt/cgroup of\\it/freezer");
        Path job = Files.createDirectories(freezer.resolve("slurm/uid_1000/job_42"));
        process(7, "3:freezer:/slurm/uid_1000/job_42\n0::/init.scope\n");
        process(8, "3:freezer:/\n0::/init.scope\n");
        process(9, "0::/init.scope\n");
        watch("freezer");

        Map<String, Long> ids = CgroupTree.ids(root).orElseThrow();
        Long id = (Long) Files.getAttribute(job, "unix:ino");
        Long top = (Long) Files.getAttribute(freezer, "unix:ino");
        assertThat(ids.keySet()).containsExactly("/", "/slurm", "/slurm/uid_1000", "/slurm/uid_1000/job_42");
        assertThat(ids).containsEntry("/slurm/uid_1000/job_42", id);
        assertThat(CgroupTree.ofProcesses(processes, root, ids)).isEqualTo(Map.of(7, id, 8, top));
        watch("memory");
        assertThat(CgroupTree.ids(root)).isEmpty();
    }
}
