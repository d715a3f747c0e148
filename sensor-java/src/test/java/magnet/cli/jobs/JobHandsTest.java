// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import magnet.cli.world.Failure;
import magnet.machine.Cgroup;
import magnet.os.Errno;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import magnet.os.ProcessSignal;
import magnet.testing.CgroupFolders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How jobs are stopped, continued and killed, by a tree of processes that obeys signals. */
@Timeout(60)
class JobHandsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String TASKS = """
        gtrace created 2 forks 3 exits 0 forgotten 0 late 0 no_memory 0 lost 0
        task render id 1 state %s owner 0 processes 2 cgroup 1
        process 812 parent 0 depth 0 start 51234 progname blender
        process 815 parent 812 depth 1 start 51301 progname s h
        task other id 2 state run owner 1000 processes 1 cgroup 1
        process 900 parent 0 depth 0 start 9 progname x
        """;

    private static final Escapes.Killer NOBODY = (pid, meant) -> {
        throw new AssertionError("kills " + pid);
    };

    @TempDir
    private Path root;

    private final Map<Integer, Integer> parents = new LinkedHashMap<>(Map.of(10, 1, 11, 10, 12, 11, 13, 10));
    private final List<String> sent = new ArrayList<>();
    private final PresentJob job = PresentJob.ofCgroups("slurm:1", List.of());

    /** Whoever is stopped makes one more child before, as long as there is one to make. */
    private int toBeBorn = 14;

    private final Members members = new Members() {
        @Override
        public Map<Integer, Integer> now() {
            return new LinkedHashMap<>(parents);
        }

        @Override
        public boolean has(int pid) {
            return parents.containsKey(pid);
        }
    };

    private SignalHand signals(Duration timeout) throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        for (Map.Entry<Integer, Integer> each : parents.entrySet()) {
            folders.process(each.getKey(), each.getValue(), "p", 'S', 0);
        }
        return new SignalHand(
                any -> members, root.resolve("proc"), timeout, MonotonicClock.SYSTEM, (signal, pid, meant) -> {
                    assertThat(meant.getAsBoolean()).isTrue();
                    sent.add(signal + " " + pid);
                    if (toBeBorn < 16 && signal != ProcessSignal.CONT) {
                        parents.put(toBeBorn, pid);
                        folders.process(toBeBorn++, pid, "p", 'S', 0);
                    }
                    if (signal == ProcessSignal.KILL) {
                        parents.remove(pid);
                    }
                    folders.process(
                            pid, parents.getOrDefault(pid, 1), "p", signal == ProcessSignal.STOP ? 'T' : 'S', 0);
                    return true;
                });
    }

    @Test
    void shouldStopFromTheTopDownUntilNobodyIsNew() throws IOException {
        assertThat(signals(LONG).carryOut(JobOrder.STOP, job)).isEqualTo(6);
        assertThat(sent).containsExactly("STOP 10", "STOP 11", "STOP 13", "STOP 12", "STOP 14", "STOP 15");
    }

    @Test
    void shouldContinueFromTheBottomUp() throws IOException {
        assertThat(signals(LONG).carryOut(JobOrder.CONT, job)).isEqualTo(4);
        assertThat(sent).containsExactly("CONT 12", "CONT 13", "CONT 11", "CONT 10");
    }

    @Test
    void shouldKillFromTheTopDownUntilNobodyIsLeft() throws IOException {
        assertThat(signals(LONG).carryOut(JobOrder.KILL, job)).isEqualTo(6);
        assertThat(sent).startsWith("KILL 10", "KILL 11").hasSize(6);
        assertThat(parents).isEmpty();
    }

    @Test
    void shouldSayWhoIsLeft() {
        SignalHand deaf = new SignalHand(
                any -> members, root, Duration.ofMillis(50), MonotonicClock.SYSTEM, (signal, pid, meant) -> true);

        assertThatThrownBy(() -> deaf.carryOut(JobOrder.KILL, job))
                .isInstanceOf(Failure.class)
                .hasMessage("after 50ms 4 processes of slurm:1 are not killed yet: 10, 11, 12, 13");
    }

    @Test
    void shouldSayWhomItMayNotSignal() {
        SignalHand stranger =
                new SignalHand(any -> members, root, LONG, MonotonicClock.SYSTEM, (signal, pid, meant) -> {
                    throw new OsException("pidfd_send_signal", Errno.EPERM.number());
                });

        assertThatThrownBy(() -> stranger.carryOut(JobOrder.STOP, job))
                .isInstanceOf(Failure.class)
                .hasMessage("process 10 cannot be stopped: Operation not permitted (EPERM); run it as root");
    }

    /** Real processes, by their descriptors. */
    @Test
    void shouldSignalAProcessThatIsMeantAndNoOther() throws Exception {
        Process sleep = new ProcessBuilder("sleep", "600").start();
        int pid = (int) sleep.pid();
        try {
            assertThat(ProcessSignal.KILL.send(pid, () -> false)).isFalse();
            assertThat(sleep.isAlive()).isTrue();
            assertThat(ProcessSignal.KILL.send(pid, () -> true)).isTrue();
            assertThat(sleep.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ProcessSignal.KILL.send(pid, () -> true)).isFalse();
        } finally {
            sleep.destroyForcibly();
        }
    }

    @Test
    void shouldKnowWhoIsInItsCgroups() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path own = folders.group("/a/job_1", 10);
        folders.process(10, 1, "p", 'S', 0);
        folders.process(11, 1, "p", 'S', 0);
        Files.writeString(root.resolve("proc/10/cgroup"), "7:freezer:/x\n0::/a/job_1/step\n");
        Files.writeString(root.resolve("proc/11/cgroup"), "0::/a/job_10\n");
        Members of = new Members.OfCgroups(
                PresentJob.ofCgroups("slurm:1", List.of(new Cgroup("/a/job_1", own))), root.resolve("proc"));

        assertThat(of.now()).isEqualTo(Map.of(10, 1));
        assertThat(of.has(10)).isTrue();
        assertThat(of.has(11)).isFalse();
        assertThat(of.has(12)).isFalse();

        Files.writeString(root.resolve("proc/11/cgroup"), "7:freezer:/\n");
        Files.writeString(
                Files.createDirectories(root.resolve("proc/11/task/13")).resolve("cgroup"), "7:freezer:/a/job_1\n");
        assertThat(of.has(11)).as("its first thread has ended").isTrue();
    }

    @Test
    void shouldReadTheTasksOfGtrace() {
        List<GtraceTask> tasks = GtraceTask.parse(TASKS.formatted("stop"));

        assertThat(tasks).extracting(GtraceTask::name).containsExactly("render", "other");
        assertThat(tasks.get(0))
                .isEqualTo(new GtraceTask(
                        "render",
                        "stop",
                        0,
                        1,
                        List.of(
                                new GtraceTask.Node(812, 0, 51234, "blender"),
                                new GtraceTask.Node(815, 812, 51301, "s h"))));
        assertThat(GtraceTask.parse("")).isEmpty();
    }

    /** A device that obeys. */
    private static final class Device implements Gtrace {
        private final List<String> orders = new ArrayList<>();
        private String text = TASKS.formatted("run");
        private Errno refusal = Errno.UNKNOWN;

        @Override
        public List<GtraceTask> tasks() {
            return GtraceTask.parse(text);
        }

        @Override
        public void order(String order) throws IOException {
            orders.add(order);
            if (refusal != Errno.UNKNOWN) {
                throw new OsException("write", refusal.number());
            }
            text = order.startsWith("kill") ? "" : TASKS.formatted("stop");
        }
    }

    @Test
    void shouldLetGtraceCarryOutOrders() throws IOException {
        Device device = new Device();
        CgroupFolders folders = CgroupFolders.unified(root);
        folders.process(812, 1, "p", 'T', 0);
        folders.process(815, 812, "p", 't', 0);
        GtraceHand hand = new GtraceHand(device, root.resolve("proc"), LONG, MonotonicClock.SYSTEM);
        PresentJob render =
                PresentJob.ofTask(GtraceTask.named("render", device.tasks()).orElseThrow(), Optional.empty());

        assertThat(hand.carryOut(JobOrder.STOP, render)).isEqualTo(2);
        assertThat(hand.carryOut(JobOrder.KILL, render)).isEqualTo(2);
        assertThat(device.orders).containsExactly("stop render", "kill render");
        device.refusal = Errno.EPERM;
        assertThatThrownBy(() -> hand.carryOut(JobOrder.CONT, render))
                .hasMessage("gtrace does not cont render: the task, or some of its processes, are somebody else's; run"
                        + " it as root");
        device.refusal = Errno.ENOENT;
        assertThatThrownBy(() -> hand.carryOut(JobOrder.STOP, render))
                .hasMessage("gtrace does not stop render: there is no such task any more, or it is ending");
        assertThat(hand.carryOut(JobOrder.KILL, render)).as("it has ended").isEqualTo(2);
    }

    /** A process stops when it comes back from the kernel, which may take a while. */
    @Test
    void shouldSayWhomGtraceHasNotStoppedYet() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        folders.process(812, 1, "p", 'D', 0);
        folders.process(815, 812, "p", 'T', 0);
        Device device = new Device();
        GtraceHand hand = new GtraceHand(device, root.resolve("proc"), Duration.ofMillis(50), MonotonicClock.SYSTEM);
        PresentJob render =
                PresentJob.ofTask(GtraceTask.named("render", device.tasks()).orElseThrow(), Optional.empty());

        assertThatThrownBy(() -> hand.carryOut(JobOrder.STOP, render))
                .isInstanceOf(Failure.class)
                .hasMessage("after 50ms 1 process of gtrace:render is not stopped yet: 812");
    }

    private PresentJob render(Path home) {
        return PresentJob.ofTask(
                GtraceTask.named("render", new Device().tasks()).orElseThrow(),
                Optional.of(new Cgroup("/render", home)));
    }

    private static void place(Path root, int pid, String cgroup) throws IOException {
        Files.writeString(root.resolve("proc/" + pid + "/cgroup"), "0::" + cgroup + "\n");
    }

    @Test
    void shouldFreezeATaskThatHasACgroupToItself() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path home = folders.group("/render", 812, 815);
        folders.withFreezer(home, 0, 0);
        for (int pid : List.of(812, 815, 900)) {
            folders.process(pid, 1, "p", 'S', 0);
            place(root, pid, "/render");
        }
        Device device = new Device();
        TaskHand hand = new TaskHand(device, root.resolve("proc"), LONG, MonotonicClock.SYSTEM, NOBODY);

        assertThat(hand.can(JobOrder.STOP, render(home))).isTrue();
        assertThat(hand.can(JobOrder.KILL, render(home))).isTrue();
        Files.writeString(home.resolve("cgroup.events"), "frozen 1\n");
        assertThat(render(home).state(List.of())).isEqualTo("frozen");
        assertThat(hand.carryOut(JobOrder.STOP, render(home))).isEqualTo(2);
        assertThat(home.resolve("cgroup.freeze")).hasContent("1");
        assertThat(device.orders).isEmpty();

        place(root, 815, "/elsewhere");
        folders.process(815, 1, "p", 'T', 0);
        hand.carryOut(JobOrder.STOP, render(home));
        assertThat(device.orders).as("one has left").containsExactly("stop render");

        Files.writeString(home.resolve("cgroup.events"), "frozen 0\n");
        assertThat(hand.carryOut(JobOrder.CONT, render(home))).isEqualTo(2);
        assertThat(home.resolve("cgroup.freeze")).hasContent("0");

        folders.group("/render");
        assertThat(hand.carryOut(JobOrder.KILL, render(home))).isEqualTo(2);
        assertThat(home.resolve("cgroup.kill")).hasContent("1");
        assertThat(device.orders).containsExactly("stop render", "cont render", "kill render");
    }

    @Test
    void shouldNotFreezeStrangersWithATask() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path home = folders.group("/render", 812, 900);
        folders.withFreezer(home, 0, 0);
        TaskHand hand = new TaskHand(new Device(), root.resolve("proc"), LONG, MonotonicClock.SYSTEM, NOBODY);

        assertThat(hand.can(JobOrder.STOP, render(home))).as("900 has ended").isTrue();
        folders.process(900, 1, "p", 'S', 0);
        assertThat(hand.can(JobOrder.STOP, render(home))).isFalse();
        Files.delete(home.resolve("cgroup.kill"));
        folders.group("/render", 812);
        assertThat(hand.can(JobOrder.STOP, render(home))).isTrue();
        assertThat(hand.can(JobOrder.KILL, render(home))).isFalse();
        PresentJob topmost = PresentJob.ofTask(
                GtraceTask.named("render", new Device().tasks()).orElseThrow(),
                Optional.of(new Cgroup("/", root.resolve("sys/fs/cgroup"))));
        assertThat(hand.can(JobOrder.STOP, topmost)).isFalse();
    }

    /** {@code cgroup.kill} leaves a process whose first thread has ended. */
    @Test
    void shouldKillByASignalWhomTheCgroupLeaves() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path group = folders.group("/job", 10);
        folders.withFreezer(group, 0, 0);
        folders.process(10, 1, "p", 'Z', 0);
        place(root, 10, "/job");
        CgroupHand hand = new CgroupHand(root.resolve("proc"), LONG, MonotonicClock.SYSTEM, (pid, meant) -> {
            assertThat(meant.getAsBoolean()).isTrue();
            try {
                folders.group("/job");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return true;
        });

        assertThat(hand.carryOut(JobOrder.KILL, PresentJob.ofCgroups("x:job", List.of(new Cgroup("/job", group)))))
                .isEqualTo(1);
        assertThat(group.resolve("cgroup.kill")).hasContent("1");
    }

    /** Otherwise its processes would get SIGCONT, and stay frozen. */
    @Test
    void shouldThawATaskWhereStrangersHaveComeIntoItsCgroup() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path home = folders.group("/render", 812, 900);
        folders.withFreezer(home, 0, 0);
        folders.process(900, 1, "p", 'S', 0);
        TaskHand hand = new TaskHand(new Device(), root.resolve("proc"), LONG, MonotonicClock.SYSTEM, NOBODY);

        assertThat(hand.can(JobOrder.CONT, render(home))).isFalse();
        Files.writeString(home.resolve("cgroup.events"), "frozen 1\n");
        assertThat(hand.can(JobOrder.CONT, render(home))).isTrue();
        assertThat(hand.can(JobOrder.STOP, render(home))).isFalse();
    }

    /** Whom the freezer holds takes no signal but SIGKILL. */
    @Test
    void shouldTakeAFrozenJobForStoppedAsItStandsStill() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path group = folders.group("/job", 10);
        folders.withFreezer(group, 0, 0);
        Files.writeString(group.resolve("cgroup.events"), "frozen 1\n");
        folders.process(10, 1, "p", 'S', 0);
        parents.keySet().retainAll(List.of(10));
        SignalHand hand = new SignalHand(
                any -> members, root.resolve("proc"), LONG, MonotonicClock.SYSTEM, (signal, pid, meant) -> true);
        PresentJob frozen = PresentJob.ofCgroups("slurm:1", List.of(new Cgroup("/job", group)));

        assertThat(hand.carryOut(JobOrder.STOP, frozen)).isEqualTo(1);
    }

    @Test
    void shouldUseCgroupsOnlyWhereTheKernelHasWhatItTakes() throws IOException {
        CgroupFolders folders = CgroupFolders.unified(root);
        Path whole = folders.group("/a");
        folders.withFreezer(whole, 0, 0);
        Path old = folders.group("/b");
        folders.withFreezer(old, 0, 0);
        Files.delete(old.resolve("cgroup.kill"));
        PresentJob one = PresentJob.ofCgroups("x:a", List.of(new Cgroup("/a", whole)));
        PresentJob both = PresentJob.ofCgroups("x:b", List.of(new Cgroup("/a", whole), new Cgroup("/b", old)));

        assertThat(CgroupHand.can(JobOrder.KILL, one)).isTrue();
        assertThat(CgroupHand.can(JobOrder.KILL, both)).isFalse();
        assertThat(CgroupHand.can(JobOrder.STOP, both)).isTrue();
    }
}
