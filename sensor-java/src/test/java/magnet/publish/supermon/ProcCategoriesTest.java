// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import magnet.publish.supermon.Category.Variable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ProcCategoriesTest {
    @TempDir
    private Path proc;

    private ProcCategories categories;

    @BeforeEach
    void writeProc() throws IOException {
        write("stat", """
                cpu  30 3 300 1 1 1 1 0 0 0
                cpu0 10 1 100 1 1 1 1 0 0 0
                cpu1 20 2 200 1 1 1 1 0 0 0
                intr 5 1 2
                ctxt 4711
                btime 1700000000
                """);
        write("loadavg", "0.20 1.18 12.05 1/80 11206\n");
        write("uptime", "350735.47 234388.90\n");
        write("vmstat", "nr_free_pages 1\npgpgin 11\npgpgout 12\npswpin 13\npswpout 14\n");
        write("meminfo", """
                MemTotal:        1000 kB
                MemFree:          200 kB
                Buffers:           30 kB
                Cached:            40 kB
                SwapTotal:        500 kB
                SwapFree:         100 kB
                Shmem:              5 kB
                """);
        write("net/dev", """
                Inter-|   Receive                                                |  Transmit
                 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
                eth0:1: 21 2 3 4 5 6 7 8 29 10 11 12 13 14 15 16
                """);
        write(
                "self/mounts",
                "/dev/vda1 / ext4 rw 0 0\\nproc /proc proc rw 0 0\\n/dev/vdb /no\\\\040such xfs rw 0 0\\n"
                        .replace("\\n", "\n")
                        .replace("\\\\", "\\"));
        categories = new ProcCategories(proc, InstantSource.fixed(Instant.ofEpochSecond(1_700_000_123)));
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(proc.resolve(file).getParent());
        Files.writeString(proc.resolve(file), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CPUINFO|user=10,20 nice=1,2 system=100,200",
                "AVENRUN|avenrun=20,118,1205",
                "PAGING|pgpgin=11 pgpgout=12 pswpin=13 pswpout=14",
                "SWITCH|switch=4711",
                "TIME|timestamp=1700000123 jiffies=35073547",
                "MEMINFO|total=1000 free=200 buffer=30 shared=5 totalhigh=0 freehigh=0",
                "SWAPINFO|total=500 used=400 pagecache=40",
            })
    void shouldReadNumbers(StandardCategory category, String expected) throws IOException {
        assertThat(text(categories.read(category, 1))).isEqualTo(expected);
    }

    @Test
    void shouldReadDevicesWhateverTheirNames() throws IOException {
        Category netinfo = categories.read(StandardCategory.NETINFO, 0x20);
        assertThat(netinfo.sources()).containsExactly("lo", "eth0:1");
        assertThat(text(netinfo))
                .startsWith("name=lo,eth0:1 rxbytes=1,21 rxpackets=2,2")
                .contains(" txbytes=9,29 ");
        assertThat(netinfo.variables()).hasSize(17);
    }

    @Test
    void shouldLeaveOutFileSystemsThatAreNotThere() throws IOException {
        Category fsinfo = categories.read(StandardCategory.FSINFO, 0x100);
        assertThat(text(fsinfo)).startsWith("devname=/dev/vda1 mountpoint=/ fstype=ext4 size=");
        long size = Long.parseLong(fsinfo.variables().get(3).values().get(0));
        assertThat(size).isEqualTo(Files.getFileStore(Path.of("/")).getTotalSpace() / 1024);
    }

    /** A stick may have been labelled by anybody. */
    @Test
    void shouldReadFileSystemsWhateverOthersAreCalled() throws IOException {
        Files.write(
                proc.resolve("self/mounts"),
                "/dev/sdb1 /media/Gr\u00f6\u00dfe vfat rw 0 0\n/dev/sdc1 /nul\\000 vfat rw 0 0\n/dev/vda1 / ext4 rw 0 0\n"
                        .getBytes(StandardCharsets.ISO_8859_1));
        assertThat(text(categories.read(StandardCategory.FSINFO, 0x100)))
                .startsWith("devname=/dev/vda1 mountpoint=/ fstype=ext4 size=");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadThisMachines(StandardCategory category) throws IOException {
        Category read = new ProcCategories(Path.of("/proc"), InstantSource.system()).read(category, 7);
        assertThat(read.name()).isEqualTo(category.label());
        assertThat(read.bit()).isEqualTo(7);
        assertThat(read.variables()).isNotEmpty();
    }

    @Test
    void shouldSayWhichFileCannotBeUnderstood() throws IOException {
        write("loadavg", "a b c\n");
        assertThatThrownBy(() -> categories.read(StandardCategory.AVENRUN, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot read avenrun from " + proc);
    }

    private static String text(Category category) {
        List<String> texts = category.variables().stream()
                .map((Variable each) -> each.name() + "=" + String.join(",", each.values()))
                .toList();
        return String.join(" ", texts);
    }
}
