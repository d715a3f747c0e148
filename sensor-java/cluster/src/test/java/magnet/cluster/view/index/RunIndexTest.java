// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import magnet.cli.trace.ReportCommand;
import magnet.cli.world.SavedOwners;
import magnet.cluster.view.MadeUpNode;
import magnet.cluster.view.MadeUpNode.Datagram;
import magnet.cluster.view.PrintingWorld;
import magnet.json.Json;
import magnet.record.EventType;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A tick is a nanosecond here, unless a test says otherwise. */
final class RunIndexTest {
    private static final long KHZ = 1_000_000;
    private static final long RUNNABLE = 0;
    private static final long SLEEPING = 1;
    private static final long DISK_SLEEP = 2;

    @TempDir
    private Path folder;

    private PrintingWorld world;

    @BeforeEach
    void makeWorld() {
        world = new PrintingWorld(folder);
    }

    private Path trace(String name) {
        return folder.resolve(name);
    }

    private RunIndex index(String... names) throws IOException {
        Path at = Files.createDirectory(folder.resolve("index"));
        try (RunIndexer indexer = new RunIndexer(at, names.length > 1)) {
            for (String name : names) {
                try (TraceReader reader = TraceReader.open(trace(name))) {
                    indexer.add(
                            name,
                            reader,
                            SavedOwners.of(reader, world.world()),
                            RunIndexer.Between.NOTHING,
                            UnaryOperator.identity());
                }
            }
            return indexer.finish(UnaryOperator.identity());
        }
    }

    private Map<?, ?> report(String name) throws IOException {
        new CommandLine(new ReportCommand(world.world()))
                .execute("--json", "--top", "1000", trace(name).toString());
        return Json.object(world.out());
    }

    /** Two CPUs on which threads change places, and wake each other. */
    private long randomTrace(String name, long khz, long seed, int switches) throws IOException {
        Random random = new Random(seed);
        long slices = 0;
        try (MadeUpNode node = new MadeUpNode(trace(name), "n1", khz)) {
            long[] now = {10, 11};
            int[] runs = {0, 0};
            boolean[] known = new boolean[2];
            for (int i = 0; i < switches; i++) {
                int cpu = random.nextInt(2);
                now[cpu] += 2 + 2 * random.nextInt(20_000);
                int next = random.nextInt(3) == 0 ? 0 : 100 + 20 * cpu + random.nextInt(20);
                if (next == runs[cpu]) {
                    next = next == 0 ? 100 + 20 * cpu : 0;
                }
                slices += known[cpu] && runs[cpu] != 0 ? 1 : 0;
                node.onSwitch(cpu, now[cpu], runs[cpu], random.nextBoolean() ? RUNNABLE : SLEEPING, next);
                known[cpu] = true;
                runs[cpu] = next;
                if (random.nextInt(500) == 0) {
                    node.onLost(cpu, now[cpu] + 2, now[cpu] + 4, 3);
                    now[cpu] += 6;
                    known[cpu] = false;
                }
            }
        }
        return slices;
    }

    @Test
    void shouldHaveAsManySlicesAsThreadsHad() throws IOException {
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)) {
            for (int i = 0; i < 10_007; i++) {
                node.onSwitch(0, 1_000 + 100 * i, 0, RUNNABLE, 77);
                node.onSwitch(0, 1_000 + 100 * i + 30, 77, SLEEPING, 0);
            }
        }
        try (RunIndex index = index("n1")) {
            NodeIndex node = index.nodes().get(0);
            assertThat(node.slices()).isEqualTo(10_007);
            assertThat(node.cpus().get(0).threads().busy(0, node.end())).isEqualTo(10_007 * 30);
            assertThat(node.counts().events()).isEqualTo(2 * 10_007);
        }
    }

    @Test
    void shouldKnowHowLongProcessesRanAsTheReportDoes() throws IOException {
        long slices = randomTrace("n1", 2_400_123, 9, 20_000);
        Map<?, ?> report = report("n1");
        try (RunIndex index = index("n1")) {
            NodeIndex node = index.nodes().get(0);
            Statistics statistics = Statistics.of(index, 0, index.endNs());
            assertThat(statistics.nodes().get(0).slices()).isEqualTo(slices);
            for (Object each : (List<?>) report.get("by_process")) {
                Map<?, ?> row = (Map<?, ?>) each;
                int process = ((Double) row.get("tgid")).intValue();
                if (process == 0) {
                    continue;
                }
                Statistics.Row found = statistics.nodes().get(0).threads().stream()
                        .filter(thread -> node.threads().of(thread.subject()).process() == process)
                        .findFirst()
                        .orElseThrow();
                assertThat((double) row.get("slices")).isEqualTo((double) found.slices());
                assertThat((double) row.get("cpu_ms")).isEqualTo(found.busyTicks() * 1.0 / 2_400_123);
            }
        }
    }

    @Test
    void shouldKnowHowLongThreadsWaitedAndWhy() throws IOException {
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)) {
            node.onSwitch(0, 1_000, 0, RUNNABLE, 50);
            node.onWakeup(0, 1_100, 50, 60, 0);
            node.onSwitch(0, 1_500, 50, RUNNABLE, 60);
            node.onSwitch(0, 1_700, 60, DISK_SLEEP, 50);
            node.onSwitch(0, 1_900, 50, SLEEPING, 0);
        }
        try (RunIndex index = index("n1")) {
            NodeIndex node = index.nodes().get(0);
            CpuIndex cpu = node.cpus().get(0);
            long of60 = cpu.threads().at(1_500 - 1_000);
            assertThat(node.threads().of(cpu.threads().subject(of60)).tid()).isEqualTo(60);
            assertThat(cpu.waits().length(of60)).isEqualTo(400);
            assertThat(cpu.waits().cause(of60).kind()).isEqualTo(Cause.Kind.THREAD);
            assertThat(node.threads().of(cpu.waits().cause(of60).number()).tid())
                    .isEqualTo(50);
            assertThat(cpu.threads().why(of60)).isEqualTo(SliceEnd.DISK_SLEEP);
            assertThat(cpu.waits().length(of60 + 1)).isEqualTo(200);
            assertThat(cpu.waits().cause(of60 + 1).kind()).isEqualTo(Cause.Kind.PREEMPTED);
            assertThat(cpu.waits().longest(0, cpu.threads().size(), 5)).containsExactly(of60, of60 + 1);
        }
    }

    @Test
    void shouldSeeAThreadThatWaitsWhileItsPacketLiesInTheSocket() throws IOException {
        Datagram first = new Datagram(1, 1, 2);
        Datagram second = new Datagram(2, 1, 2);
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)) {
            // Thread 60 reads socket 9. Then thread 50 takes its CPU, and a datagram comes.
            node.onSwitch(0, 1_000, 0, RUNNABLE, 60);
            node.onDatagram(EventType.UDP_ENQUEUE, 0, 1_010, 0, 9, first);
            node.onDatagram(EventType.SKB_CONSUME_UDP, 0, 1_020, 60, 9, first);
            node.onSwitch(0, 1_100, 60, RUNNABLE, 50);
            node.onDatagram(EventType.UDP_ENQUEUE, 0, 1_300, 50, 9, second);
            node.onSwitch(0, 1_900, 50, RUNNABLE, 60);
            node.onDatagram(EventType.SKB_CONSUME_UDP, 0, 1_910, 60, 9, second);
            node.onSwitch(0, 2_000, 60, RUNNABLE, 50);
            node.onSwitch(0, 2_100, 50, RUNNABLE, 60);
        }
        try (RunIndex index = index("n1")) {
            CpuIndex cpu = index.nodes().get(0).cpus().get(0);
            assertThat(cpu.packetWaits().size()).isOne();
            assertThat(cpu.packetWaits().begin(0)).isEqualTo(300);
            assertThat(cpu.packetWaits().end(0)).isEqualTo(900);
            assertThat(cpu.packetWaits().received(0)).isEqualTo(300);
            assertThat(cpu.late().busy(0, 1_100)).isEqualTo(600);
        }
    }

    @Test
    void shouldSeeAThreadThatAPacketWokeAndThatDidNotRun() throws IOException {
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)) {
            node.onSwitch(0, 1_000, 60, SLEEPING, 50);
            node.onEvent(EventType.SOFTIRQ_ENTRY, 0, 1_200, 50, 3);
            node.onDatagram(EventType.NETIF_RECEIVE_SKB, 0, 1_210, 50, 0, new Datagram(1, 1, 2));
            node.onWakeup(0, 1_220, 50, 60, 0);
            node.onEvent(EventType.SOFTIRQ_EXIT, 0, 1_230, 50, 3);
            node.onSwitch(0, 1_720, 50, RUNNABLE, 60);
            node.onSwitch(0, 1_800, 60, SLEEPING, 50);
        }
        try (RunIndex index = index("n1")) {
            CpuIndex cpu = index.nodes().get(0).cpus().get(0);
            assertThat(cpu.packetWaits().size()).isOne();
            assertThat(cpu.packetWaits().begin(0)).isEqualTo(220);
            assertThat(cpu.packetWaits().end(0)).isEqualTo(720);
            assertThat(cpu.packetWaits().received(0)).isEqualTo(210);
            assertThat(cpu.waits().cause(cpu.packetWaits().slice(0)).kind()).isEqualTo(Cause.Kind.PACKET);
            assertThat(cpu.soft().busy(0, 800)).isEqualTo(30);
            assertThat(cpu.late().busy(0, 800)).isEqualTo(500);
        }
    }

    @Test
    void shouldHaveAnArrowForEachDatagram() throws IOException {
        try (MadeUpNode sender = new MadeUpNode(trace("n1"), "n1", KHZ);
                MadeUpNode receiver = new MadeUpNode(trace("n2"), "n2", KHZ)) {
            for (int i = 0; i < 101; i++) {
                Datagram datagram = new Datagram(1 + i, 1, 2);
                sender.onDatagram(EventType.NET_DEV_START_XMIT, 0, 10_000 + 1_000 * i, 40, 5, datagram);
                receiver.onDatagram(EventType.NETIF_RECEIVE_SKB, 0, 10_300 + 1_000 * i, 0, 0, datagram);
            }
            // Two that nobody can tell apart, and one that never comes.
            for (int i = 0; i < 2; i++) {
                Datagram twice = new Datagram(500, 1, 2);
                sender.onDatagram(EventType.NET_DEV_START_XMIT, 0, 200_000 + i, 40, 5, twice);
                receiver.onDatagram(EventType.NETIF_RECEIVE_SKB, 0, 200_300 + i, 0, 0, twice);
            }
            sender.onDatagram(EventType.NET_DEV_START_XMIT, 0, 300_000, 40, 5, new Datagram(501, 1, 2));
        }
        try (RunIndex index = index("n1", "n2")) {
            Arrows arrows = index.arrows();
            assertThat(arrows.size()).isEqualTo(101);
            assertThat(arrows.early()).isZero();
            assertThat(arrows.ambiguous()).isOne();
            for (int i = 0; i < 101; i++) {
                assertThat(arrows.sent(i).node()).isZero();
                assertThat(arrows.received(i).node()).isOne();
                assertThat(arrows.received(i).ns() - arrows.sent(i).ns()).isEqualTo(300);
            }
            long begin = arrows.sent(50).ns();
            assertThat(arrows.behind(begin + 100) - arrows.first(begin + 100)).isOne();
            assertThat(arrows.touches(50, begin + 100, begin + 200)).isTrue();
            assertThat(arrows.touches(50, begin + 301, begin + 400)).isFalse();
        }
    }

    @Test
    void shouldCountTheReplyOfAPacketThatIsReceivedBeforeItIsSent() throws IOException {
        try (MadeUpNode sender = new MadeUpNode(trace("n1"), "n1", KHZ);
                MadeUpNode receiver = new MadeUpNode(trace("n2"), "n2", KHZ)) {
            Datagram datagram = new Datagram(1, 1, 2);
            sender.onDatagram(EventType.NET_DEV_START_XMIT, 0, 2_000, 40, 5, datagram);
            receiver.onDatagram(EventType.NETIF_RECEIVE_SKB, 0, 1_500, 0, 0, datagram);
        }
        try (RunIndex index = index("n1", "n2")) {
            assertThat(index.arrows().early()).isOne();
            assertThat(index.arrows().sent(0).ns()).isEqualTo(500);
            assertThat(index.arrows().received(0).ns()).isZero();
        }
    }

    @Test
    void shouldShowWhatWasLostAndMakeNothingUp() throws IOException {
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)) {
            node.onSwitch(0, 1_000, 0, RUNNABLE, 50);
            node.onSwitch(0, 1_400, 50, SLEEPING, 60);
            node.onLost(0, 1_500, 1_900, 12);
            node.onSwitch(0, 2_000, 70, SLEEPING, 0);
            node.onSwitch(0, 2_100, 0, RUNNABLE, 70);
        }
        try (RunIndex index = index("n1")) {
            NodeIndex node = index.nodes().get(0);
            Lane lane = node.cpus().get(0).threads();
            assertThat(node.counts().lost()).isEqualTo(12);
            assertThat(lane.subject(lane.at(600))).isEqualTo(Subject.LOST);
            assertThat(lane.begin(lane.at(600))).isEqualTo(500);
            assertThat(lane.end(lane.at(600))).isEqualTo(900);
            assertThat(lane.isOpen(lane.at(450))).isTrue();
            assertThat(lane.isOpen(lane.at(950))).isTrue();
            assertThat(node.threads().of(lane.subject(lane.at(950))).tid()).isEqualTo(70);
            assertThat(lane.busy(0, 1_100)).isEqualTo(400 + 100 + 100);
            // The report counts the slice of 50 alone.
            assertThat(Statistics.of(index, 0, index.endNs()).nodes().get(0).busyTicks())
                    .isEqualTo(400);
        }
    }

    @Test
    void shouldKnowNamesAndJobsAndMarkers() throws IOException {
        try (MadeUpNode node = new MadeUpNode(trace("n1"), "n1", KHZ)
                .names(Map.of(50, "solver"))
                .owners(new TraceOwners(
                        Set.of(), Map.of(50, 7L), Map.of(7L, "/system.slice/slurmstepd.scope/job_42/step_0/user")))) {
            node.onSwitch(0, 1_000, 0, RUNNABLE, 50);
            node.onMarker(0, 1_100, 50, "begin of step 3\n");
            node.onSwitch(0, 1_400, 50, SLEEPING, 0);
        }
        try (RunIndex index = index("n1")) {
            NodeIndex node = index.nodes().get(0);
            ThreadTable.Entry thread = node.threads().of(Subject.FIRST);
            assertThat(thread.name()).isEqualTo("solver");
            assertThat(thread.job()).contains("42");
            assertThat(node.markers()).containsExactly(new Marker(100, 0, Subject.FIRST, 0, "begin of step 3"));
        }
    }

    @Test
    void shouldLeaveNothingBehind() throws IOException {
        randomTrace("n1", KHZ, 3, 5_000);
        index("n1").close();

        assertThat(folder.resolve("index")).doesNotExist();
    }
}
