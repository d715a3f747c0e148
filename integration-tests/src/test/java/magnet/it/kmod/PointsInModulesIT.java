// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Points in a module that comes and goes, Debian's ext4; the kernel's own trace events are the witness. */
@Tag("stock")
@GuestTest(turns = true)
@ExtendWith(LoadedModule.class)
final class PointsInModulesIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String EVENTS = "/sys/kernel/debug/magnet/control/events";
    /** Fires once for each file that is made. */
    private static final String TRACEPOINT = "t:ext4:ext4_request_inode";

    private static final String FUNCTION = "f:ext4:ext4_create";
    private static final String KPROBE = "p:ext4:ext4_create";

    private final Guest guest;

    PointsInModulesIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void unload() {
        guest.sh("rmmod ext4");
    }

    @Test
    void shouldCountFromTheFirstEventWhenTheModuleIsLoadedLater() {
        GuestProcess reader = read(TRACEPOINT);

        awaitState("waiting");
        assertThat(makeFilesAndCount(53)).isEqualTo(53);
        awaitState("on");
        guest.sh("rmmod ext4").orFail();
        awaitState("waiting");
        makeFiles(31);

        assertCounted(reader, 53 + 31);
    }

    @Test
    void shouldFollowAFunctionIntoTheModuleThatIsLoadedAgain() {
        guest.sh("modprobe ext4").orFail();
        GuestProcess reader = read(FUNCTION);

        assertThat(makeFilesAndCount(53)).isEqualTo(53);
        guest.sh("rmmod ext4").orFail();
        awaitState("waiting");
        makeFiles(31);
        awaitState("on");

        assertCounted(reader, 53 + 31);
    }

    @Test
    void shouldFollowAKprobeIntoTheModuleThatIsLoadedAgain() {
        guest.sh("modprobe ext4").orFail();
        GuestProcess reader = read(KPROBE);

        makeFiles(53);
        guest.sh("rmmod ext4").orFail();
        awaitState("waiting");
        makeFiles(31);
        awaitState("on");

        assertCounted(reader, 53 + 31);
    }

    @Test
    void shouldLoseNoEventWhenTheModuleComesAndGoesAgainAndAgain() {
        guest.sh("modprobe ext4").orFail();
        GuestProcess function = read(FUNCTION);
        GuestProcess tracepoint = guest.start("build/tools/magnet-read", "-i", TRACEPOINT);
        guest.sh("until [ $(grep -c ' dynamic .*=on' " + EVENTS + ") = 2 ]; do sleep 0.1; done")
                .orFail();

        for (int i = 0; i < 5; i++) {
            makeFiles(17);
            guest.sh("rmmod ext4").orFail();
        }

        assertCounted(function, 5 * 17);
        assertCounted(tracepoint, 5 * 17);
    }

    private GuestProcess read(String definition) {
        GuestProcess reader = guest.start("build/tools/magnet-read", "-i", definition);
        guest.sh("until grep -q ' dynamic ' " + EVENTS + "; do sleep 0.1; done").orFail();
        return reader;
    }

    private void awaitState(String state) {
        String wait = "until grep -q ' dynamic .* 1 .*=" + state + "' " + EVENTS + "; do sleep 0.1; done";
        guest.run(LIMIT, "bash", "-c", wait).orFail();
    }

    private void makeFiles(int files) {
        guest.run(
                        LIMIT,
                        "bash",
                        "-ec",
                        "modprobe ext4; truncate -s 16M /tmp/image; mkfs.ext4 -q -F /tmp/image; mkdir -p /tmp/mounted;"
                                + " mount -o loop /tmp/image /tmp/mounted;"
                                + " for i in {1.." + files + "}; do : >/tmp/mounted/$i; done; umount /tmp/mounted")
                .orFail();
    }

    /** What the kernel's own trace event says meanwhile. */
    private int makeFilesAndCount(int files) {
        guest.sh("modprobe ext4; mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing;"
                        + " cd /sys/kernel/tracing && echo >trace && echo 1 >events/ext4/ext4_request_inode/enable")
                .orFail();
        makeFiles(files);
        String counted = guest.sh(
                        "cd /sys/kernel/tracing && echo 0 >events/ext4/ext4_request_inode/enable; grep -c ext4_request_inode: trace")
                .orFail()
                .stdout()
                .strip();
        return Integer.parseInt(counted);
    }

    private void assertCounted(GuestProcess reader, int events) {
        reader.signal("INT");
        assertThat(reader.waitFor(LIMIT).orFail().stdout())
                .contains(" hits " + events + " committed " + events + " ")
                .contains(" missed 0");
    }
}
