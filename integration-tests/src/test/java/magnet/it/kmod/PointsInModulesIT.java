// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.guest.LoadedModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Points in modules that come and go. The witness is a probe of the kernel's own (tracefs's kprobe_events), which also
 * follows the module and also counts from its first call.
 */
@GuestTest(turns = true)
@ExtendWith(LoadedModule.class)
final class PointsInModulesIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String EVENTS = "/sys/kernel/debug/magnet/control/events";
    private static final String TRACING = "/sys/kernel/tracing";

    private static final String TRACEPOINT = "t:magnet_transient:magnet_transient_passed";
    private static final String FUNCTION = "f:magnet_transient:magnet_transient_step";
    private static final String KPROBE = "p:magnet_transient:magnet_transient_step";
    private static final String RETURN = "r:magnet_transient:magnet_transient_step";

    private final Guest guest;
    private final List<GuestProcess> readers = new ArrayList<>();

    PointsInModulesIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void callWitness() {
        guest.sh("cd " + TRACING + " && echo 'p:witness magnet_transient:magnet_transient_step' >kprobe_events"
                        + " && echo 1 >events/kprobes/witness/enable")
                .orFail();
    }

    @AfterEach
    void endAll() {
        readers.forEach(GuestProcess::kill);
        guest.sh("cd " + TRACING + "; echo 0 >events/kprobes/witness/enable; echo >kprobe_events;"
                        + " for module in magnet_transient ext4; do"
                        + " if [ -d /sys/module/$module ]; then rmmod $module || exit; fi; done")
                .orFail();
    }

    @Test
    void shouldCountFromTheFirstEventWhenTheModuleIsLoadedLater() {
        GuestProcess reader = read(TRACEPOINT);

        awaitState(1, "waiting");
        load(7);
        awaitState(1, "on");
        call(53);
        unload();
        awaitState(1, "waiting");
        load(31);

        assertThat(witnessed()).isEqualTo(7 + 53 + 31);
        assertCounted(reader, 7 + 53 + 31);
    }

    @Test
    void shouldFindTheTracepointWithoutTheModulesNameWhenItIsLoaded() {
        assertThat(guest.run("build/tools/magnet-read", "-i", "t:magnet_transient_passed")
                        .exitCode())
                .isNotZero();
        load(0);

        GuestProcess reader = read("t:magnet_transient_passed");
        call(53);
        unload();
        awaitState(1, "waiting");
        load(31);

        assertThat(witnessed()).isEqualTo(53 + 31);
        assertCounted(reader, 53 + 31);
    }

    @Test
    void shouldRefuseATracepointWhenTheLoadedModuleHasNone() {
        load(0);

        assertThat(guest.run("build/tools/magnet-read", "-i", "t:magnet_transient:magnet_transient_other")
                        .stderr())
                .contains("this module is loaded and has no tracepoint of this name");
    }

    @Test
    void shouldFollowAFunctionIntoTheModuleThatIsLoadedAgain() {
        follows(FUNCTION);
    }

    @Test
    void shouldFollowAKprobeIntoTheModuleThatIsLoadedAgain() {
        follows(KPROBE);
    }

    @Test
    void shouldFollowAReturnIntoTheModuleThatIsLoadedAgain() {
        follows(RETURN);
    }

    private void follows(String definition) {
        load(0);
        GuestProcess reader = read(definition);
        awaitState(1, "on");

        call(53);
        unload();
        awaitState(1, "waiting");
        load(31);
        awaitState(1, "on");

        assertThat(witnessed()).isEqualTo(53 + 31);
        assertCounted(reader, 53 + 31);
    }

    @Test
    void shouldWaitAgainWhenTheModuleFailsToStart() {
        GuestProcess reader = read(TRACEPOINT);

        GuestResult refused = guest.run("insmod", module(), "at_start=19", "refuse=1");
        assertThat(refused.exitCode()).isNotZero();
        awaitState(1, "waiting");
        load(3);

        assertThat(witnessed()).isEqualTo(19 + 3);
        assertCounted(reader, 19 + 3);
    }

    @Test
    void shouldLoseNoEventWhenTheModuleComesAndGoesAgainAndAgain() {
        load(0);
        GuestProcess function = read(FUNCTION);
        GuestProcess probe = read(KPROBE);
        GuestProcess tracepoint = read(TRACEPOINT);
        awaitState(3, "on");

        unload();
        for (int i = 0; i < 5; i++) {
            load(11);
            call(17);
            unload();
        }
        awaitState(3, "waiting");

        assertThat(witnessed()).isEqualTo(5 * (11 + 17));
        assertCounted(function, 5 * (11 + 17));
        assertCounted(probe, 5 * (11 + 17));
        assertCounted(tracepoint, 5 * (11 + 17));
    }

    /** Once for each file that is made. */
    @Test
    @Tag("stock")
    void shouldCountFilesOfAnExt4ThatIsLoadedLater() {
        GuestProcess reader = read("t:ext4:ext4_request_inode");

        guest.sh("modprobe ext4 && cd " + TRACING + " && echo >trace && echo 1 >events/ext4/ext4_request_inode/enable")
                .orFail();
        makeFiles(53);
        assertThat(guest.sh("cd " + TRACING + " && echo 0 >events/ext4/ext4_request_inode/enable;"
                                + " grep -c ext4_request_inode: trace")
                        .orFail()
                        .stdout())
                .isEqualTo("53\n");
        guest.sh("rmmod ext4").orFail();
        awaitState(1, "waiting");
        makeFiles(31);

        assertCounted(reader, 53 + 31);
    }

    private void makeFiles(int files) {
        guest.sh(
                        LIMIT,
                        "set -e; modprobe -a ext4 loop; truncate -s 8M /tmp/image; mkfs.ext4 -q -F -O ^has_journal /tmp/image;"
                                + " mkdir -p /tmp/mounted; mount -o loop /tmp/image /tmp/mounted;"
                                + " for i in {1.." + files + "}; do : >/tmp/mounted/$i; done; umount /tmp/mounted")
                .orFail();
    }

    private String module() {
        return KernelModule.transientModule(guest.options().kernel()).toString();
    }

    private void load(int callsAtStart) {
        guest.run("insmod", module(), "at_start=" + callsAtStart).orFail();
    }

    private void unload() {
        guest.run("rmmod", "magnet_transient").orFail();
    }

    private void call(int times) {
        guest.sh("echo " + times + " >/sys/module/magnet_transient/parameters/more")
                .orFail();
    }

    /** Its hits; the kernel counts those that it missed apart, and there are none. */
    private int witnessed() {
        String[] words = guest.sh("cd " + TRACING + " && cat kprobe_profile")
                .orFail()
                .stdout()
                .strip()
                .split("\\s+");
        assertThat(words).hasSize(3).startsWith("witness").endsWith("0");
        return Integer.parseInt(words[1]);
    }

    private GuestProcess read(String definition) {
        GuestProcess reader = guest.start("build/tools/magnet-read", "-b", "it" + readers.size(), "-i", definition);
        readers.add(reader);
        guest.sh(
                        LIMIT,
                        "until [ $(grep -c ' dynamic .* 1 ' " + EVENTS + ") = " + readers.size()
                                + " ]; do sleep 0.1; done")
                .orFail();
        return reader;
    }

    private void awaitState(int points, String state) {
        guest.sh(
                        LIMIT,
                        "until [ $(grep -c ' dynamic .* 1 .*=" + state + "' " + EVENTS + ") = " + points
                                + " ]; do sleep 0.1; done")
                .orFail();
    }

    private void assertCounted(GuestProcess reader, int events) {
        reader.signal("INT");
        assertThat(reader.waitFor(LIMIT).orFail().stdout())
                .contains(" hits " + events + " committed " + events + " ")
                .contains(" missed 0");
    }
}
