// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import magnet.cli.WorldFixture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoadCommandTest extends WorldFixture {
    private static final String REASON =
            "ended in a panic whose trace names magnet, see /var/crash/202611/dmesg.202611";

    private final List<String> loaded = new ArrayList<>();

    private Path heldBack;
    private Path modules;

    @BeforeEach
    void makeNode() throws IOException {
        world.loader = loaded::add;
        heldBack = folder.resolve("var/lib/magnet/held-back");
        Files.createDirectories(heldBack.getParent());
        Path release = world.processes.resolve("sys/kernel/osrelease");
        Files.createDirectories(release.getParent());
        Files.writeString(release, "6.1.0-13-amd64\n");
        modules = folder.resolve("lib/modules/6.1.0-13-amd64/modules.dep");
        Files.createDirectories(modules.getParent());
        Files.writeString(modules, "updates/dkms/magnet.ko:\n");
    }

    private void holdBack() throws IOException {
        Files.writeString(heldBack, "boot 1b\nkernel 6.1.0-13-amd64\ncause panic\nnamed yes\nreason " + REASON + "\n");
    }

    private void giveSelf(String effective) throws IOException {
        Path self = Files.createDirectories(world.processes.resolve("self"));
        Files.writeString(self.resolve("status"), "Name:\tjava\nCapEff:\t" + effective + "\n");
    }

    @Test
    void shouldLoadTheModule() {
        assertThat(world.run("load")).isZero();
        assertThat(loaded).containsExactly("magnet");
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldSayWhyItIsHeldBackAndLeaveItSo() throws IOException {
        holdBack();
        assertThat(world.run("load")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: the module is held back: the last boot with it " + REASON
                        + "; to load it again: magnet load --anyway");
        assertThat(loaded).isEmpty();
        assertThat(heldBack).exists();
    }

    @Test
    void shouldLoadAnywayAndHoldBackNoLonger() throws IOException {
        holdBack();
        assertThat(world.run("load", "--anyway")).isZero();
        assertThat(loaded).containsExactly("magnet");
        assertThat(heldBack).doesNotExist();
        assertThat(world.errLines()).singleElement().asString().contains("was held back", REASON);
    }

    @Test
    void shouldTakeAFileWithoutAReasonForOneThatHoldsBack() throws IOException {
        Files.writeString(heldBack, "");
        assertThat(world.run("load")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("ended without a shutdown");
    }

    @Test
    void shouldLoadNothingTwice() throws IOException {
        Files.createDirectories(folder.resolve("sys/module/magnet"));
        assertThat(world.run("load")).isZero();
        assertThat(loaded).isEmpty();
        assertThat(world.errLines()).containsExactly("magnet: the module is loaded already");
    }

    @Test
    void shouldChangeNothingWithoutTheRightToLoad() throws IOException {
        holdBack();
        giveSelf("0000004000000000");
        assertThat(world.run("load", "--anyway")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: to load the module takes CAP_SYS_MODULE: run it as root");
        assertThat(loaded).isEmpty();
        assertThat(heldBack).exists();
    }

    /** The guard, which modprobe runs, must not find the file meanwhile. */
    @Test
    void shouldHoldItBackAsBeforeWhenItCannotBeLoaded() throws IOException {
        holdBack();
        String before = Files.readString(heldBack);
        world.loader = name -> {
            assertThat(heldBack).doesNotExist();
            throw new IOException("modprobe magnet failed: no");
        };
        assertThat(world.run("load", "--anyway")).isEqualTo(1);
        assertThat(heldBack).hasContent(before);
        assertThat(world.errLines()).containsExactly("magnet: modprobe magnet failed: no");
        try (Stream<Path> files = Files.list(heldBack.getParent())) {
            assertThat(files).containsExactly(heldBack);
        }
    }

    @Test
    void shouldSayWhatCheckKnowsOfWhereThereIsNoFileOfTheModule() throws IOException {
        Files.delete(modules);
        Files.createDirectories(folder.resolve("usr/src/magnet-1.0"));
        world.loader = name -> {
            throw new IOException("modprobe magnet failed: Module magnet not found");
        };
        assertThat(world.run("load")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: modprobe magnet failed: Module magnet not found; install the headers of this"
                        + " kernel (linux-headers-6.1.0-13-amd64, on the RHEL family kernel-devel-6.1.0-13-amd64), then"
                        + " dkms autoinstall, and systemctl start magnetd");
    }

    @Test
    void shouldSayWhatCheckKnowsOfWhereTheKernelIsLockedDown() throws IOException {
        Files.writeString(world.lockdown, "none [integrity] confidentiality\n");
        world.loader = name -> {
            throw new IOException("modprobe magnet failed: Key was rejected by service");
        };
        assertThat(world.run("load")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith("magnet: modprobe magnet failed: Key was rejected by service; the kernel is locked down,"
                        + " integrity: ")
                .contains("mokutil --import");
    }

    @Test
    void shouldSayWhatModprobeSaid() {
        world.loader = name -> {
            throw new IOException(
                    "modprobe magnet failed: modprobe: ERROR: could not insert 'magnet': Key was rejected");
        };
        assertThat(world.run("load")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().endsWith("Key was rejected");
    }
}
